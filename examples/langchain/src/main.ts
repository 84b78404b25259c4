import assert from 'node:assert/strict';
import { createTestShop } from '@ravi/testkit';
import { model } from './model.ts';

const { tools, refunds } = createTestShop();

// #region agent
import { Command, MemorySaver } from '@langchain/langgraph';
import { createGateway } from '@ravi/gateway-kit';
import { answerTo, createLangChainTools, isApprovalQuestion } from '@ravi/langchain';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createAgent } from 'langchain';

await using gateway = createGateway({ tools, sandbox: createVmSandbox({ unsafe: true }) });
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
