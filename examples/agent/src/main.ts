import assert from 'node:assert/strict';
import { askUserTool, ReActAgent } from '@ravi/agents';
import { createAutoApproval } from '@ravi/approval-auto';
import { pairingProblems } from '@ravi/testkit';

import { createShopModel, listOrders, refundOrder } from './shop.ts';

const model = createShopModel();
const approvalHandler = createAutoApproval({ rules: [{ tool: 'refund_*', decision: 'approved' }] });

// #region agent
const agent = new ReActAgent({
  name: 'clerk',
  model,
  system: 'You help customers of a shop.',
  tools: [listOrders, refundOrder, askUserTool],
  approvalHandler,
});
let result = await agent.run('I am ada. Please refund my order.');
if (result.paused !== undefined) result = await agent.resume(result.paused, 'The second one');
console.log(result.status, result.text);
// #endregion

// #region stream
const stream = new ReActAgent({ name: 'reader', model: createShopModel(), tools: [listOrders, askUserTool] }).stream(
  'Hi',
);
for await (const event of stream) {
  if (event.type === 'model-delta') process.stdout.write(event.text);
  if (event.type === 'tool-result') console.log(`\n${event.tool}: ${event.result.text}`);
}
const { paused } = await stream.result;
console.log(paused?.questions[0]?.question);
// #endregion

assert.equal(result.status, 'completed');
assert.equal(result.text, 'Order 2 is refunded.');
assert.deepEqual(pairingProblems(result.messages), []);
assert.deepEqual(
  result.trace.map(({ tool, status }) => [tool, status]),
  [['refund_order', 'ok']],
);
assert.equal(paused?.questions[0]?.question, 'Which order, 1 or 2?');
