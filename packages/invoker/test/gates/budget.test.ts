import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

test('1 000 parallel calls with a budget of 50 execute exactly 50', async () => {
  const tool = recordingTool('work');
  const harness = createHarness([tool], { policy: { maxToolCalls: 50 } });
  const results = await Promise.all(Array.from({ length: 1_000 }, (_, index) => harness.call('work', { index })));
  assert.equal(tool.calls.length, 50);
  assert.equal(results.filter((result) => result.status === 'ok').length, 50);
  assert.equal(results.filter((result) => result.error?.code === 'E_BUDGET_EXHAUSTED').length, 950);
  assert.equal(harness.session.callCount, 50);
  assert.equal(harness.session.trace.length, 1_000);
});

test('every attempt counts: unknown tools, invalid arguments and denied calls too', async () => {
  const tool = recordingTool('danger', { risk: 'high', inputSchema: { type: 'object', required: ['a'] } });
  const harness = createHarness([tool], { policy: { maxToolCalls: 3 } });
  const codes = [
    await harness.call('unknown'),
    await harness.call('danger', {}),
    await harness.call('danger', { a: 1 }),
    await harness.call('danger', { a: 1 }),
  ].map((result) => result.error?.code);
  assert.deepEqual(codes, ['E_TOOL_UNKNOWN', 'E_ARGUMENTS_INVALID', 'E_APPROVAL_NO_HANDLER', 'E_BUDGET_EXHAUSTED']);
});

test('the message names the limit and its value, and observers are notified', async () => {
  const harness = createHarness([recordingTool('work')], { policy: { maxToolCalls: 1 } });
  await harness.call('work');
  const result = await harness.call('work');
  assert.equal(result.status, 'error');
  assert.equal(result.text, 'The budget of 1 tool calls (maxToolCalls) is used up');
  assert.deepEqual(
    harness.recorded.of('budget-exceeded').map(({ callId, tool, limit }) => ({ callId, tool, limit })),
    [{ callId: 'call_2', tool: 'work', limit: 1 }],
  );
});

test('each session has its own budget', async () => {
  const harness = createHarness([recordingTool('work')], { policy: { maxToolCalls: 1 } });
  await using other = harness.invoker.openSession();
  await harness.call('work');
  assert.equal((await harness.call('work', {}, { session: other })).status, 'ok');
});
