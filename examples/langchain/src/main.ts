import assert from 'node:assert/strict';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { createTestShop } from '@ravi/testkit';

const { tools, refunds } = createTestShop();
const code = `
const orders = await tools.list_orders({});
return Promise.all(orders.map(({ order }) => tools.refund_order({ order })));`;

const model = fakeModel()
  .respondWithTools([{ id: 'call-1', name: 'tool_chain', args: { code } }])
  .respond(new AIMessage('All orders are refunded.'));

// #region agent
import { Command, MemorySaver } from '@langchain/langgraph';
import { createGateway } from '@ravi/gateway-kit';
import { answerTo, createLangChainTools, isApprovalQuestion } from '@ravi/langchain';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createAgent } from 'langchain';

await using sandbox = createIsolatedVmSandbox();
await using gateway = createGateway({ tools, sandbox });
const agent = createAgent({ model, tools: createLangChainTools(gateway), checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: 'thread-1' } };

let result = await agent.invoke({ messages: 'Refund everything' }, thread);
for (const interrupt of result.__interrupt__ ?? []) {
  if (!isApprovalQuestion(interrupt.value)) continue;
  for (const { name, args } of interrupt.value.actionRequests) console.log('approve', name, args);
  result = await agent.invoke(new Command({ resume: answerTo(interrupt, 'approve') }), thread);
}
console.log(result.messages.at(-1)?.text);
// #endregion

assert.deepEqual(refunds, [1, 2]);
assert.equal(result.messages.at(-1)?.text, 'All orders are refunded.');
