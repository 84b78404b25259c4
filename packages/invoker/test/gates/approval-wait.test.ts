import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { createFakeClock, createTestApprovals, neverAnswers, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { Toolbox, ToolInvoker } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import { heldTool, recordingTool } from '../support/tools.ts';

/** Approvals that a test decides one by one. */
function heldApprovals() {
  const answers: PromiseWithResolvers<unknown>[] = [];
  const at = (index: number) => (answers[index] ??= Promise.withResolvers<unknown>());
  const approvals = createTestApprovals((_, index) => at(index).promise);
  return Object.assign(approvals, { answer: (index: number, decision: string) => at(index).resolve({ decision }) });
}

test('a request without a decision is denied exactly at the limit, and its signal aborts', async () => {
  const tool = recordingTool('t', { risk: 'high' });
  const approvalHandler = neverAnswers();
  const harness = createHarness([tool], { approvalHandler, policy: { approvalTimeoutMs: 500 } });
  const call = harness.call('t');
  await approvalHandler.asked(0);
  harness.clock.advance(499);
  assert.equal(approvalHandler.signals[0]?.aborted, false);
  harness.clock.advance(1);
  const result = await call;
  assert.equal(approvalHandler.signals[0]?.aborted, true);
  assert.equal(result.status, 'denied');
  assert.equal(result.error?.code, 'E_APPROVAL_EXPIRED');
  assert.match(result.text, /within 500 ms \(approvalTimeoutMs\)/);
  assert.equal(harness.onlyRecord().approval?.decision, 'timeout');
  assert.equal(harness.onlyRecord().approval?.waitedMs, 500);
  assert.deepEqual(tool.calls, []);
});

test('scripts and models read that an undecided call was not denied', async () => {
  for (const caller of ['direct', 'chain'] as const) {
    const approvalHandler = neverAnswers();
    const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
    const call = harness.call('t', {}, { caller });
    await approvalHandler.asked(0);
    harness.clock.advance(600_000);
    const { error } = await call;
    assert.equal(error?.code, 'E_APPROVAL_EXPIRED');
    assert.match(error.message, /no decision about its approval was made within 600000 ms.*It was not denied/);
  }
});

test('an approval after the limit has no effect', async () => {
  const tool = recordingTool('t', { risk: 'high' });
  const approvalHandler = heldApprovals();
  const harness = createHarness([tool], { approvalHandler });
  const call = harness.call('t');
  await approvalHandler.asked(0);
  harness.clock.advance(600_000);
  approvalHandler.answer(0, 'approved');
  assert.equal((await call).error?.code, 'E_APPROVAL_EXPIRED');
  await settle();
  assert.deepEqual(tool.calls, []);
  assert.equal(harness.session.trace.length, 1);
});

test('an approval after the limit has no effect even if the timer is late', async () => {
  const fake = createFakeClock();
  const setTimer: Clock['setTimer'] = () => ({ cancel() {}, setBackground() {} });
  const lateTimers: Clock = { now: fake.now, monotonic: fake.monotonic, setTimer };
  const tool = recordingTool('t', { risk: 'high' });
  const approvalHandler = heldApprovals();
  const invoker = new ToolInvoker({ registry: new Toolbox([tool]), approvalHandler, clock: lateTimers });
  await using session = invoker.openSession();
  const call = invoker.invoke({ name: 't', args: {} }, { session });
  await approvalHandler.asked(0);
  fake.advance(600_001);
  approvalHandler.answer(0, 'approved');
  assert.equal((await call).error?.code, 'E_APPROVAL_EXPIRED');
  assert.deepEqual(tool.calls, []);
});

test('the wait for a human does not count against time limits', async () => {
  const tool = heldTool('t', { risk: 'high' });
  const approvalHandler = heldApprovals();
  const harness = createHarness([tool], { approvalHandler });
  const call = harness.call('t');
  await approvalHandler.asked(0);
  harness.clock.advance(54_000);
  approvalHandler.answer(0, 'approved');
  await tool.started(0);
  harness.clock.advance(59_999);
  tool.finish(0);
  assert.equal((await call).status, 'ok');
  assert.equal(harness.session.humanWaitMs(), 54_000);
});

test('overlapping waits for humans count once', async () => {
  const approvalHandler = heldApprovals();
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  const calls = [harness.call('t'), harness.call('t')];
  await approvalHandler.asked(1);
  harness.clock.advance(1_000);
  assert.equal(harness.session.humanWaitMs(), 1_000);
  approvalHandler.answer(0, 'approved');
  await calls[0];
  harness.clock.advance(500);
  approvalHandler.answer(1, 'denied');
  await calls[1];
  harness.clock.advance(9_000);
  assert.equal(harness.session.humanWaitMs(), 1_500);
});

test('cancelling the run withdraws the request, and the tool does not start', async () => {
  const tool = recordingTool('t', { risk: 'high' });
  const approvalHandler = heldApprovals();
  const harness = createHarness([tool], { approvalHandler });
  const call = harness.call('t');
  await approvalHandler.asked(0);
  harness.session.cancel('the user left');
  await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED') && error.message === 'the user left');
  assert.equal(approvalHandler.signals[0]?.aborted, true);
  approvalHandler.answer(0, 'approved');
  await settle();
  assert.deepEqual(tool.calls, []);
  assert.equal(harness.onlyRecord().status, 'cancelled');
  assert.equal(harness.session.humanWaitMs(), 0);
  harness.clock.advance(1_000);
  assert.equal(harness.session.humanWaitMs(), 0, 'the wait has ended');
});

test('a cancelled run requests no approval', async () => {
  const approvalHandler = neverAnswers();
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  harness.session.cancel('over');
  await assert.rejects(harness.call('t'), (error) => isKernelError(error, 'E_CANCELLED'));
  assert.equal(approvalHandler.requests.length, 0);
});
