import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { createTestApprovals, createTestBlobs, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { heldTool, recordingTool, textResult } from '../support/tools.ts';

const large = textResult('x'.repeat(9_000));

function setUp() {
  const artifactStore = createTestBlobs();
  const harness = createHarness([recordingTool('large', { run: () => large })], { artifactStore });
  return { artifactStore, ...harness };
}

test('closing releases every pin, notifies observers once and may be repeated', async () => {
  const { artifactStore, call, session, recorded } = setUp();
  await Promise.all([call('large'), call('large')]);
  assert.equal(artifactStore.pins.size, 2);
  await Promise.all([session.close(), session.close()]);
  await session.close();
  assert.equal(artifactStore.pins.size, 0);
  assert.deepEqual(session.pinnedRefs, []);
  assert.deepEqual(
    recorded.of('session-closed').map(({ toolCalls, unpinFailures }) => ({ toolCalls, unpinFailures })),
    [{ toolCalls: 2, unpinFailures: 0 }],
  );
});

test('await using closes', async () => {
  const { artifactStore, call, invoker } = setUp();
  {
    await using session = invoker.openSession();
    await call('large', {}, { session });
    assert.equal(artifactStore.pins.size, 1);
  }
  assert.equal(artifactStore.pins.size, 0);
});

test('a session releases its own pins only, even if another has the same ids', async () => {
  const { artifactStore, call, session, invoker } = setUp();
  await using twin = invoker.openSession({ runId: 'run', sessionId: 'session', principal: 'ada' });
  const { artifactRef } = await call('large');
  await artifactStore.pin(artifactRef!, twin.pinOwner);
  await session.close();
  assert.equal(artifactStore.pins.get(artifactRef!)?.size, 1);
});

test('a failed unpin is logged and counted, and the other pins are released', async () => {
  const { artifactStore, call, session, recorded, logger } = setUp();
  await call('large');
  await call('large');
  artifactStore.break('unpin');
  await session.close();
  assert.deepEqual(logger.messages('error'), ['artifact could not be unpinned', 'artifact could not be unpinned']);
  assert.equal(recorded.of('session-closed')[0]?.unpinFailures, 2);
});

test('closing cancels running calls, and no call starts any more', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const call = harness.call('t');
  await tool.started(0);
  const closing = harness.session.close();
  assert.equal(tool.contexts[0]?.signal.aborted, true);
  await assert.rejects(
    call,
    (error) => isKernelError(error, 'E_CANCELLED') && error.message === 'The session is closed',
  );
  await closing;
  await assert.rejects(harness.call('t'), (error) => isKernelError(error, 'E_CANCELLED'));
  assert.equal(tool.calls.length, 1);
});

test('a result that is stored while the session closes is not left pinned', async () => {
  const artifactStore = createTestBlobs();
  const storing = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { store } = artifactStore;
  artifactStore.store = async (data, options) => {
    reached.resolve();
    await storing.promise;
    return store.call(artifactStore, data, options);
  };
  const harness = createHarness([recordingTool('large', { run: () => large })], { artifactStore });
  const call = harness.call('large');
  await reached.promise;
  await harness.session.close();
  storing.resolve();
  await call.catch(() => {});
  assert.equal(artifactStore.pins.size, 0);
});

test('a tool may close its own session when its signal aborts', async () => {
  const harness = createHarness([
    recordingTool('t', {
      run: (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            void harness.session.close();
            resolve(textResult('ok'));
          });
        }),
    }),
  ]);
  const call = harness.call('t');
  await settle();
  await Promise.all([harness.session.close(), assert.rejects(call)]);
  assert.equal(harness.recorded.of('session-closed').length, 1);
});

test('the policy of a session replaces single fields and is validated', () => {
  const { invoker } = setUp();
  const session = invoker.openSession({ policy: { maxToolCalls: 3 } });
  assert.equal(session.policy.maxToolCalls, 3);
  assert.equal(session.policy.callTimeoutMs, 60_000);
  assert.throws(
    () => invoker.openSession({ policy: { callTimeoutMs: 300_001 } }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('ids are random when absent', () => {
  const { invoker } = setUp();
  const [a, b] = [invoker.openSession(), invoker.openSession()];
  assert.notEqual(a.runId, b.runId);
  assert.notEqual(a.sessionId, b.sessionId);
  assert.equal(a.principal, 'local');
});

test('the reason of the signal is the close of the session, or the earlier cancellation', async () => {
  const { invoker } = setUp();
  const reasonOf = ({ reason }: AbortSignal): string => {
    assert.ok(isKernelError(reason, 'E_CANCELLED'));
    return reason.message;
  };
  const [closed, cancelled] = [invoker.openSession(), invoker.openSession()];
  const signals = [closed.signal, cancelled.signal];
  const [closedUnread, cancelledUnread] = [invoker.openSession(), invoker.openSession()];
  for (const session of [cancelled, cancelledUnread]) session.cancel('Enough');
  for (const session of [closed, cancelled, closedUnread, cancelledUnread]) await session.close();
  const reasons = [...signals, closedUnread.signal, cancelledUnread.signal].map(reasonOf);
  assert.deepEqual(reasons, ['The session is closed', 'Enough', 'The session is closed', 'Enough']);
});

test('a call without a session returns a rejected promise', async () => {
  const { invoker } = setUp();
  const invoke = invoker.invoke.bind(invoker) as (call: object, options?: object) => Promise<unknown>;
  await assert.rejects(invoke({ name: 'large', args: {} }), /^TypeError: invoke needs the session/);
  await assert.rejects(invoke({ name: 'large', args: {} }, { session: {} }), TypeError);
});

test('a closed session no longer listens to its signal', async () => {
  const outside = new AbortController();
  const { invoker } = setUp();
  const session = invoker.openSession({ signal: outside.signal });
  await session.close();
  outside.abort(new Error('late'));
  assert.equal((session.signal.reason as Error).message, 'The session is closed');
});

test('hooks identify a session inside another by the call it runs in', async () => {
  const { invoker, recorded, call } = setUp();
  const inner = invoker.openSession({ parentCallId: 'call_3' });
  await call('large', {}, { session: inner });
  await inner.close();
  for (const event of ['session-opened', 'tool-call', 'tool-result', 'artifact', 'session-closed'] as const) {
    assert.equal(recorded.of(event).at(-1)?.parentId, 'call_3', event);
  }
});

test('a session inside another can only narrow what may run, and has the same ids and principal', async () => {
  const tools = ['a', 'b'].map((name) => recordingTool(name, { risk: 'high' }));
  const harness = createHarness(tools, { session: { allowedTools: ['a'] } });
  const parent = harness.session;
  await using inner = harness.invoker.openSession({
    parent,
    allowedTools: ['a', 'b'],
    policy: { maxRiskUnapproved: 'high' },
  });
  assert.deepEqual([inner.runId, inner.sessionId, inner.principal], [parent.runId, parent.sessionId, parent.principal]);
  assert.equal((await harness.call('b', {}, { session: inner })).error?.code, 'E_TOOL_NOT_ALLOWED');
  assert.equal((await harness.call('a', {}, { session: inner })).error?.code, 'E_APPROVAL_NO_HANDLER');
  const off = createHarness(tools, { session: { toolsEnabled: false } });
  await using innerOff = off.invoker.openSession({ parent: off.session, toolsEnabled: true });
  assert.equal((await off.call('a', {}, { session: innerOff })).error?.code, 'E_TOOLS_DISABLED');
});

test('an approval for the run covers a session inside it, unless its principal differs', async () => {
  const approvalHandler = createTestApprovals(() => Promise.resolve({ decision: 'approved', scope: 'run' }));
  const harness = createHarness([recordingTool('t', { risk: 'high' })], { approvalHandler });
  const parent = harness.session;
  await harness.call('t');
  await using same = harness.invoker.openSession({ parent });
  await harness.call('t', {}, { session: same });
  assert.equal(approvalHandler.requests.length, 1);
  for (const other of [{ principal: 'eve' }, { runId: 'other' }, { sessionId: 'other' }]) {
    const before: number = approvalHandler.requests.length;
    await using foreign = harness.invoker.openSession({ parent, ...other });
    await harness.call('t', {}, { session: foreign });
    assert.equal(approvalHandler.requests.length, before + 1, JSON.stringify(other));
  }
});

test('the scratchpad is shared with a session inside, unless its principal differs', () => {
  const { invoker, session: parent } = setUp();
  parent.scratchpad.set('key', 'value');
  assert.equal(invoker.openSession({ parent }).scratchpad.get('key'), 'value');
  assert.equal(invoker.openSession({ parent, principal: 'eve' }).scratchpad.get('key'), undefined);
  assert.equal(invoker.openSession({ parent, sessionId: 'other' }).scratchpad.get('key'), undefined);
});

test('cancelling a session cancels the sessions inside it, but not the other way round', async () => {
  const tool = heldTool('t');
  const harness = createHarness([tool]);
  const inner = harness.invoker.openSession({ parent: harness.session });
  const other = harness.invoker.openSession({ parent: harness.session });
  other.cancel('only me');
  assert.equal(harness.session.signal.aborted, false);
  const call = harness.call('t', {}, { session: inner });
  await tool.started(0);
  harness.session.cancel('stop');
  await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED') && error.message === 'stop');
});
