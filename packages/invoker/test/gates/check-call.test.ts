import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { CheckContext, JsonObject } from '@ravi/kernel';
import { approveAll, createTestApprovals, createTestJournal, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import type { Harness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';
import type { RecordingTool, ToolOverrides } from '../support/tools.ts';

const missing = new KernelError('E_FILE_NOT_FOUND', 'a.txt does not exist', { hadNoEffect: true });

function removeTool(checkCall: ToolOverrides['checkCall'], overrides: ToolOverrides = {}): RecordingTool {
  return recordingTool('remove', { risk: 'high', ...(checkCall === undefined ? {} : { checkCall }), ...overrides });
}

const refuseA = ({ path }: JsonObject): void => {
  if (path === 'a.txt') throw missing;
};

test('a call that its tool finds mistaken ends with the error of the tool, and people are not asked', async () => {
  for (const checkCall of [refuseA, async (args: JsonObject) => refuseA(args)]) {
    const approvalHandler = approveAll();
    const journal = createTestJournal();
    const tool = removeTool(checkCall);
    const harness = createHarness([tool], { approvalHandler, journal });
    const { status, error, text } = await harness.call('remove', { path: 'a.txt' });
    assert.deepEqual([status, error?.code, text], ['error', 'E_FILE_NOT_FOUND', 'a.txt does not exist']);
    assert.deepEqual([approvalHandler.requests, tool.calls, journal.writes], [[], [], []]);
    assert.equal(harness.onlyRecord().status, 'error');
  }
});

test('a call that passes the check is asked about, and runs after that', async () => {
  const order: string[] = [];
  const tool = removeTool(() => void order.push('check'), {
    run: () => {
      order.push('run');
      return { content: [], isError: false };
    },
  });
  const approvalHandler = createTestApprovals(() => {
    order.push('ask');
    return Promise.resolve({ decision: 'approved' });
  });
  const harness = createHarness([tool], { approvalHandler });
  assert.equal((await harness.call('remove', { path: 'b.txt' })).status, 'ok');
  assert.deepEqual(order, ['check', 'ask', 'run']);
});

test('a call that needs no approval, or has one for the whole run, is not checked before it runs', async () => {
  let checks = 0;
  const tool = removeTool(() => void (checks += 1));
  const free = createHarness([tool], { policy: { maxRiskUnapproved: 'high' } });
  assert.equal((await free.call('remove')).status, 'ok');
  assert.equal(checks, 0);
  const approvalHandler = createTestApprovals(() => Promise.resolve({ decision: 'approved', scope: 'run' }));
  const granted = createHarness([tool], { approvalHandler });
  for (let count = 0; count < 2; count += 1) assert.equal((await granted.call('remove')).status, 'ok');
  assert.deepEqual([checks, approvalHandler.requests.length], [1, 1]);
});

test('a check sees the call and the values of the run, and cannot change them', async () => {
  let seen: CheckContext | undefined;
  const tool = removeTool((_args, context) => void (seen = context));
  const harness = createHarness([tool], {
    approvalHandler: approveAll(),
    session: { cwd: '/srv/shop', agent: 'clerk' },
  });
  harness.session.scratchpad.set('known', 'value');
  await harness.call('remove', {}, { callId: 'c1' });
  const { callId, principal, cwd, agent, scratchpad } = seen!;
  assert.deepEqual([callId, principal, cwd, agent], ['c1', 'ada', '/srv/shop', 'clerk']);
  assert.deepEqual([scratchpad.get('known'), scratchpad.keys()], ['value', ['known']]);
  assert.deepEqual(Object.keys(scratchpad).toSorted(), ['get', 'keys']);
});

function neverChecks(): { readonly harness: Harness; readonly signal: () => AbortSignal | undefined } {
  let signal: AbortSignal | undefined;
  const tool = removeTool((_args, context) => {
    ({ signal } = context);
    return new Promise(() => {});
  });
  return { harness: createHarness([tool], { approvalHandler: approveAll() }), signal: () => signal };
}

test('a check ends at callTimeoutMs, and its signal aborts', async () => {
  const { harness, signal } = neverChecks();
  const call = harness.call('remove');
  await settle();
  harness.clock.advance(60_000);
  const { error } = await call;
  assert.deepEqual([error?.code, error?.message], ['E_CALL_TIMEOUT', 'checkCall of remove took longer than 60000 ms']);
  assert.equal(signal()?.aborted, true);
});

test('a cancellation ends a check', async () => {
  const { harness, signal } = neverChecks();
  const call = harness.call('remove');
  await settle();
  harness.session.cancel('stop');
  await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED'));
  assert.equal(signal()?.aborted, true);
});

test('a mistake in the arguments of an approver is not told as one of the model', async () => {
  const tool = removeTool(refuseA, {
    classifyRisk: ({ path }) => ({ risk: path === 'a.txt' ? 'critical' : 'high' }),
  });
  const approvalHandler = createTestApprovals(() =>
    Promise.resolve({ decision: 'modified', modifiedArgs: { path: 'a.txt' }, approver: 'grace' }),
  );
  const harness = createHarness([tool], { approvalHandler });
  const { error } = await harness.call('remove', { path: 'b.txt' });
  assert.equal(error?.code, 'E_APPROVAL_DENIED');
  assert.match(error?.message ?? '', /not valid \(a\.txt does not exist\).*Your arguments were valid/);
  assert.deepEqual([approvalHandler.requests.length, tool.calls.length], [1, 0]);
});

test('a request that is stored already is asked about again, also if the check would refuse it now', async () => {
  let checks = 0;
  const tool = removeTool(() => {
    checks += 1;
    throw missing;
  });
  const approvalHandler = approveAll();
  const harness = createHarness([tool], { approvalHandler });
  await using session = harness.invoker.openSession({
    runId: 'run-2',
    durability: {
      journal: createTestJournal(),
      pinOwner: 'run-2',
      recordArtifact: async () => {},
      requestedApprovals: new Set(['approval_run-2_c1_1']),
      decidedApprovals: new Set(),
      completions: new Map(),
      grants: [],
      onHumanWait: () => () => {},
    },
  });
  assert.equal((await harness.call('remove', {}, { session, callId: 'c1' })).status, 'ok');
  assert.deepEqual([checks, approvalHandler.requests.length], [0, 1]);
});

test('an assessment says that the tool refuses the call', async () => {
  const { invoker, session } = createHarness([removeTool(refuseA)], { approvalHandler: approveAll() });
  const assess = (path: string): ReturnType<typeof invoker.assess> =>
    invoker.assess({ name: 'remove', args: { path } }, { session });
  const refused = await assess('a.txt');
  assert.equal(refused.status === 'refused' && refused.result.error?.code, 'E_FILE_NOT_FOUND');
  assert.equal((await assess('b.txt')).status, 'needs-approval');
});
