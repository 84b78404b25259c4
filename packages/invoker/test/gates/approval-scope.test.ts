import assert from 'node:assert/strict';
import type { ApprovalDecisionInput, ApprovalHandler, ToolRisk } from '@ravi/kernel';
import { createTestApprovals } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

function approveForRun() {
  return createTestApprovals(() => Promise.resolve({ decision: 'approved', scope: 'run' }));
}

test('an approval for the run covers later calls of the same tool with other arguments', async () => {
  const approvalHandler = approveForRun();
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  for (const n of [1, 2, 3]) assert.equal((await harness.call('t', { n })).status, 'ok');
  assert.equal(approvalHandler.requests.length, 1);
  assert.deepEqual(
    harness.session.trace.map((record) => record.approval?.decision),
    ['approved', 'run-scope', 'run-scope'],
  );
});

test('without a scope an approval is for one call', async () => {
  for (const scope of [undefined, 'once', 'RUN', true]) {
    const approvalHandler = createTestApprovals(() => Promise.resolve({ decision: 'approved', scope }));
    const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
    await harness.call('t');
    await harness.call('t');
    assert.equal(approvalHandler.requests.length, 2);
  }
});

test('it does not cover other tools, sessions or runs', async () => {
  const approvalHandler = approveForRun();
  const harness = createHarness([recordingTool('t', { risk: 'high' }), recordingTool('u', { risk: 'high' })], {
    approvalHandler,
  });
  await harness.call('t');
  await harness.call('u');
  await using sameIds = harness.invoker.openSession({ runId: 'run', sessionId: 'session', principal: 'ada' });
  await harness.call('t', {}, { session: sameIds });
  assert.equal(approvalHandler.requests.length, 3);
});

test('it does not cover a tool whose definition has changed', async () => {
  const approvalHandler = approveForRun();
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  await harness.call('t');
  harness.toolbox.add(recordingTool('t', { risk: 'high', description: 'Does something else now.' }));
  await harness.call('t');
  assert.equal(approvalHandler.requests.length, 2);
});

test('it does not cover a higher risk, and critical needs approval every time', async () => {
  const approvalHandler = approveForRun();
  const tool = recordingTool('t', {
    risk: 'high',
    classifyRisk: (args) => ({ risk: args['risk'] as ToolRisk }),
  });
  const harness = createHarness([tool], { approvalHandler });
  for (const risk of ['critical', 'critical', 'high', 'high', 'critical', 'high']) await harness.call('t', { risk });
  assert.deepEqual(
    approvalHandler.requests.map((request) => request.risk),
    ['critical', 'critical', 'high', 'critical'],
  );
});

test('a denial or a modification with scope "run" does not cover later calls', async () => {
  const answers = [
    { decision: 'denied', scope: 'run' },
    { decision: 'modified', modifiedArgs: {}, scope: 'run' },
    { decision: 'denied' },
  ];
  const approvalHandler = createTestApprovals((_, index) => Promise.resolve(answers[index]));
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  const statuses = [await harness.call('t'), await harness.call('t'), await harness.call('t')].map(
    ({ status }) => status,
  );
  assert.deepEqual(statuses, ['denied', 'ok', 'denied']);
});

test('an approval for the run does not decide a stored request: the denial that the store has counts', async () => {
  const answers: ((answer: ApprovalDecisionInput) => void)[] = [];
  const approvalHandler: ApprovalHandler = {
    request: (_request, { onStored }) => {
      onStored?.();
      return new Promise((resolve) => answers.push(resolve));
    },
  };
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  const calls = [harness.call('t', { n: 1 }), harness.call('t', { n: 2 })];
  while (answers.length < 2) await new Promise(setImmediate);
  answers[0]?.({ decision: 'approved', scope: 'run' });
  assert.equal((await calls[0])?.status, 'ok');
  answers[1]?.({ decision: 'denied', reason: 'denied first' });
  assert.equal((await calls[1])?.status, 'denied');
});
