import assert from 'node:assert/strict';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { findOrder, refundOrder, refunds } from './shop.ts';

// What a model would answer: the front desk hands over, the clerk looks the order up and refunds it.
const frontModel = new ScriptedModel([[functionCall('transfer_to_clerk', {}, { callId: 'call-1' })]]);
const clerkModel = new ScriptedModel([
  [functionCall('find_order', { id: 'A1' }, { callId: 'call-2' })],
  [functionCall('refund_order', { id: 'A1', cents: 500 }, { callId: 'call-3' })],
  [assistantMessage('Order A1 is refunded.')],
]);

// #region use
import { Agent, Runner, RunState } from '@openai/agents';
import { createGateway } from '@ravi/gateway-kit';
import { raviTools } from '@ravi/openai-agents';

interface Context {
  readonly threadId: string;
  readonly userId: string;
}

await using gateway = createGateway({ tools: [findOrder, refundOrder] });
const tools = raviTools<Context>(gateway, {
  run: ({ context: { threadId, userId } }) => ({ runId: threadId, principal: userId }),
});
const clerk = new Agent<Context>({ name: 'clerk', model: clerkModel, tools });
const front = new Agent<Context>({ name: 'front', model: frontModel, handoffs: [clerk] });

const context: Context = { threadId: 'thread-7', userId: 'ada' };
const runner = new Runner({ tracingDisabled: true }); // else the SDK sends traces to OpenAI
let result = await runner.run(front, 'Please refund order A1', { context });
while (result.interruptions.length > 0) {
  const stored = result.state.toString(); // in your database, until a person has decided
  const state = await RunState.fromString<Context, typeof front>(front, stored);
  for (const item of state.getInterruptions()) {
    console.log('Approve?', item.name, item.arguments, '→ yes');
    state.approve(item);
  }
  result = await runner.run(front, state);
}
console.log(result.finalOutput);
// #endregion

assert.equal(result.finalOutput, 'Order A1 is refunded.');
assert.deepEqual(Object.fromEntries(refunds), { A1: 500 });
assert.deepEqual(
  gateway
    .trace({ runId: 'thread-7', principal: 'ada' })
    .map(({ tool, status, approval }) => [tool, status, approval?.decision]),
  [
    ['find_order', 'ok', undefined],
    ['refund_order', 'ok', 'approved'],
  ],
);
