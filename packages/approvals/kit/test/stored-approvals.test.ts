import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalStore } from '@ravi/kernel';
import { createApprovalRequest, createMemoryApprovalStore } from '@ravi/testkit';
import { test } from 'vitest';
import { createStoredApprovals } from '../src/index.ts';
import { approved, openScene, settle } from './scene.ts';

const isTimeout = (error: unknown): boolean => isKernelError(error, 'E_APPROVAL_EXPIRED');
const suspension = new KernelError('E_CANCELLED', 'The session ends', {
  cause: new KernelError('E_RUN_SUSPENDED', 'The process ends'),
});

/** A handler that never decides, and records the reason of its signal. */
function silentHandler(): ApprovalHandler & { readonly reasons: unknown[] } {
  const reasons: unknown[] = [];
  const request: ApprovalHandler['request'] = (_, { signal }) => {
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    return new Promise(() => {});
  };
  return { reasons, request };
}

test('a request is stored before a decision is possible, and the call consumes its decision', async () => {
  const { request, decide, store, clock } = openScene();
  const result = request();
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'pending');
  assert.equal((await decide()).status, 'done');
  clock.advance(250);
  assert.deepEqual(await result, approved);
  const stored = await store.get('approval-1');
  assert.deepEqual([stored?.status, stored?.consumer], ['consumed', 'run-1:call-1']);
});

test('a handler reports that a request is stored, and that it is decided before the decision is consumed', async () => {
  const { decide, store, clock, feed } = openScene();
  const approvals = createStoredApprovals({ store, feed, clock });
  const seen: (string | undefined)[] = [];
  const look = (): void => void store.get('approval-1').then((approval) => seen.push(approval?.status));
  const result = approvals.request(createApprovalRequest({ id: 'approval-1' }), {
    signal: new AbortController().signal,
    onStored: look,
    onDecided: look,
  });
  await settle();
  await decide();
  clock.advance(250);
  assert.equal((await result).decision, 'approved');
  assert.deepEqual(seen, ['pending', 'approved']);
});

test('a request that was decided before a restart is reported as decided, so that its run does not pause', async () => {
  const { request, decide, store, clock, feed } = openScene();
  const first = request();
  await settle();
  await decide();
  clock.advance(250);
  await first;
  const seen: string[] = [];
  const again = createStoredApprovals({ store, feed, clock }).request(createApprovalRequest({ id: 'approval-1' }), {
    signal: new AbortController().signal,
    onStored: () => seen.push('stored'),
    onDecided: () => seen.push('decided'),
  });
  assert.deepEqual(await again, approved);
  assert.deepEqual(seen, ['decided', 'stored', 'decided']);
});

test('a decision that another process records is noticed, and no timer is left', async () => {
  const { request, decide, clock } = openScene();
  const result = request();
  await settle();
  await decide();
  clock.advance(250);
  assert.equal((await result).decision, 'approved');
  await settle();
  assert.equal(clock.pendingTimers, 0);
});

test('a decision recorded before the feed knows its position is not missed', async () => {
  const store = createMemoryApprovalStore();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow: ApprovalStore = { ...store, lastSequence: () => held.then(() => store.lastSequence()) };
  const { request, decide } = openScene({ store: slow });
  const result = request();
  await settle();
  await decide();
  release();
  assert.equal((await result).decision, 'approved');
});

test('the first decision counts, whether it comes from the handler or through the store', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<typeof approved>();
  const handler = { request: () => answer };
  const byStore = openScene({ handler });
  const first = byStore.request();
  await settle();
  await byStore.decide({ decision: 'denied', reason: 'no' });
  byStore.clock.advance(250);
  assert.deepEqual(await first, { decision: 'denied', reason: 'no' });
  resolve(approved);
  await settle();
  assert.equal((await byStore.store.get('approval-1'))?.answer?.decision, 'denied');

  const byHandler = openScene({ handler });
  assert.deepEqual(await byHandler.request(), approved);
  assert.equal((await byHandler.decide({ decision: 'denied' })).status, 'conflict');
});

test('a handler that fails or returns an invalid decision denies the request', async () => {
  const failures: readonly ApprovalHandler['request'][] = [
    () => Promise.reject(new Error('down')),
    async () => ({ decision: 'maybe' }) as never,
    async () => ({ decision: 'modified', modifiedArgs: { f: () => {} } }) as never,
  ];
  for (const request of failures) {
    const scene = openScene({ handler: { request } });
    assert.deepEqual(await scene.request(), { decision: 'denied', reason: 'the approval handler failed' });
    assert.deepEqual(scene.logger.messages('error'), ['approval handler failed']);
  }
});

test('a decision that a handler makes because it was aborted is ignored', async () => {
  const request: ApprovalHandler['request'] = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ decision: 'denied' })));
  const scene = openScene({ handler: { request } });
  const waiting = new AbortController();
  const result = scene.request({}, waiting.signal);
  await settle();
  waiting.abort(suspension);
  await assert.rejects(result, (error) => error === suspension);
  await settle();
  assert.equal((await scene.store.get('approval-1'))?.status, 'pending');
});

test('a request that its caller no longer waits for is withdrawn', async () => {
  const { request, decide, store, clock } = openScene();
  const waiting = new AbortController();
  const result = request({}, waiting.signal);
  await settle();
  waiting.abort(new Error('The run was cancelled'));
  await assert.rejects(result, /The run was cancelled/);
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'withdrawn');
  assert.equal((await store.changes()).items.at(-1)?.reason, 'The run was cancelled');
  assert.equal((await decide()).status, 'conflict');
  assert.equal(clock.pendingTimers, 0);
});

test('a request that was aborted before it was made is withdrawn at once', async () => {
  const { request, store } = openScene();
  await assert.rejects(request({}, AbortSignal.abort()));
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'withdrawn');
});

test('a request of a suspended run stays pending, and the resumed run consumes its decision', async () => {
  const store = createMemoryApprovalStore();
  const before = openScene({ store });
  const suspended = new AbortController();
  const first = before.request({}, suspended.signal);
  await settle();
  suspended.abort(suspension);
  await assert.rejects(first);
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'pending');

  const after = openScene({ store });
  await after.decide();
  assert.equal((await after.request()).decision, 'approved');
  assert.equal((await store.get('approval-1'))?.consumer, 'run-1:call-1');
});

test('stored approvals may ask a handler that stores requests too: one consumer, and no withdrawal on suspension', async () => {
  const store = createMemoryApprovalStore();
  const inner = openScene({ store });
  const options = { store, feed: inner.feed, clock: inner.clock };
  const outer = createStoredApprovals({ ...options, handler: createStoredApprovals(options) });
  const suspended = new AbortController();
  const first = outer.request(createApprovalRequest(), { signal: suspended.signal });
  await settle();
  suspended.abort(suspension);
  await assert.rejects(first);
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'pending');

  const second = outer.request(createApprovalRequest(), { signal: new AbortController().signal });
  await settle();
  await inner.decide();
  inner.clock.advance(250);
  assert.deepEqual(await second, approved);
  assert.equal((await store.changes()).items.length, 3);
});

test('a handler learns why its signal aborts', async () => {
  const handler = silentHandler();
  const { request } = openScene({ handler });
  const waiting = new AbortController();
  const result = request({}, waiting.signal);
  await settle();
  waiting.abort(suspension);
  await assert.rejects(result);
  assert.deepEqual(handler.reasons, [suspension]);
});

test('a request that expires ends with a time-out, a little after its caller has given up', async () => {
  const { request, store, clock } = openScene();
  let isSettled = false;
  const result = request();
  result.catch(() => (isSettled = true));
  await settle();
  clock.advance(600_000);
  await settle();
  assert.equal(isSettled, false);
  clock.advance(1_000);
  await assert.rejects(result, isTimeout);
  assert.equal((await store.get('approval-1'))?.status, 'consumed');
  assert.deepEqual(
    (await store.changes()).items.map(({ to }) => to),
    ['pending', 'expired', 'consumed'],
  );
});

test('a request that an approval for the run answered is consumed, although its caller no longer waits', async () => {
  const { request, store, clock } = openScene();
  const waiting = new AbortController();
  const other = createApprovalRequest({ id: 'approval-2', callId: 'call-2' });
  await store.create(other);
  const result = request({}, waiting.signal);
  await settle();
  await store.decide('approval-2', { decision: 'approved', scope: 'run', approver: 'ada', decidedAt: clock.now() });
  waiting.abort(new KernelError('E_APPROVAL_DECIDED', 'An approval for the whole run covers this call'));
  await result.catch(() => {});
  await settle();
  const covered = await store.get('approval-1');
  assert.deepEqual(
    [covered?.status, covered?.consumer, covered?.answer?.approver],
    ['consumed', 'run-1:call-1', 'ada'],
  );
});

test('a request that another process withdraws is denied', async () => {
  const { request, store, clock } = openScene();
  const result = request();
  result.catch(() => {});
  await settle();
  await store.withdraw('approval-1', { now: clock.now(), reason: 'The run ended' });
  clock.advance(250);
  assert.deepEqual(await result, { decision: 'denied', reason: 'the request for approval was withdrawn' });
});

test('an id that is taken by a request for another call is denied, and that request stays as it is', async () => {
  const { request, store } = openScene();
  await store.create(createApprovalRequest());
  for (const other of [{ argsDigest: 'other' }, { principal: 'eve' }, { tool: 'other' }, { toolDigest: 'other' }]) {
    assert.deepEqual(await request(other), {
      decision: 'denied',
      reason: 'its approval id is already used by another call',
    });
  }
  assert.equal((await store.get('approval-1'))?.status, 'pending');
});

test('a decision that another consumer has used approves nothing', async () => {
  const store = createMemoryApprovalStore();
  const { request, decide, clock } = openScene({
    store: {
      ...store,
      async consume(id, binding, by) {
        await store.consume(id, binding, { ...by, consumer: 'another run' });
        return store.consume(id, binding, by);
      },
    },
  });
  const result = request();
  await settle();
  await decide();
  clock.advance(250);
  assert.deepEqual(await result, { decision: 'denied', reason: 'another call has already used its approval' });
});

test('a run that crashed after it consumed its decision recognises it', async () => {
  const { request, decide, store, clock } = openScene();
  const asked = createApprovalRequest();
  await store.create(asked);
  await decide();
  await store.consume(asked.id, asked, { consumer: 'run-1:call-1', now: clock.now() });
  assert.deepEqual(await request(), approved);
});

test('a store that is unavailable for a while delays a decision and loses none', async () => {
  const store = createMemoryApprovalStore();
  let isGone = false;
  const guarded = <Arguments extends unknown[], Result>(method: (...args: Arguments) => Promise<Result>) => {
    return async (...args: Arguments): Promise<Result> => {
      if (isGone) throw new KernelError('E_STATE_UNAVAILABLE', 'gone', { retryable: true });
      return method(...args);
    };
  };
  const { request, clock, logger } = openScene({
    store: {
      ...store,
      create: guarded(store.create),
      get: guarded(store.get),
      consume: guarded(store.consume),
      changes: guarded(store.changes),
      lastSequence: guarded(store.lastSequence),
    },
  });
  const passTime = async (): Promise<void> => {
    for (let step = 0; step < 10; step++) {
      await settle();
      clock.advance(250);
    }
    await settle();
  };
  isGone = true;
  const result = request();
  await passTime();
  assert.equal(await store.get('approval-1'), undefined);
  isGone = false;
  await passTime();
  assert.equal((await store.get('approval-1'))?.status, 'pending');
  isGone = true;
  await store.decide('approval-1', { ...approved, decidedAt: clock.now() });
  await passTime();
  assert.ok(logger.messages('warn').length > 0);
  isGone = false;
  await passTime();
  assert.deepEqual(await result, approved);
});

test('a thousand requests are decided in any order, each with its own decision', async () => {
  const { request, store, clock } = openScene();
  const ids = Array.from({ length: 1_000 }, (_, index) => `approval-${index}`);
  const results = ids.map((id) => request({ id, callId: id }));
  await settle();
  const decisions = ids.map((id, index) =>
    store.decide(id, { decision: index % 2 === 0 ? 'approved' : 'denied', decidedAt: clock.now(), reason: id }),
  );
  await Promise.all(decisions.toReversed());
  clock.advance(500);
  for (const [index, result] of (await Promise.all(results)).entries()) {
    assert.deepEqual([result.decision, result.reason], [index % 2 === 0 ? 'approved' : 'denied', ids[index]]);
  }
});

test('a request that the limit of its call ended is consumed, so that it wakes no run', async () => {
  const { request, store, clock } = openScene();
  const waiting = new AbortController();
  const result = request({}, waiting.signal);
  await settle();
  clock.advance(600_000);
  waiting.abort(new KernelError('E_APPROVAL_EXPIRED', 'No decision within the time limit'));
  await assert.rejects(result, isTimeout);
  await settle();
  const expired = await store.get('approval-1');
  assert.deepEqual([expired?.status, expired?.answer, expired?.consumer], ['consumed', undefined, 'run-1:call-1']);
});

test('a decision that arrived at the limit of its call is withdrawn, because the call did not run', async () => {
  const { request, store, clock, decide } = openScene();
  const waiting = new AbortController();
  const result = request({}, waiting.signal);
  await settle();
  clock.advance(599_999);
  await decide();
  waiting.abort(new KernelError('E_APPROVAL_EXPIRED', 'No decision within the time limit'));
  await assert.rejects(result, isTimeout);
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'withdrawn');
});

test('a request that an approval for the run covers while it is being stored has that approval', async () => {
  const { request, store } = openScene();
  const waiting = new AbortController();
  const result = request({}, waiting.signal);
  waiting.abort(new KernelError('E_APPROVAL_DECIDED', 'An approval for the whole run covers this call'));
  await result.catch(() => {});
  await settle();
  const covered = await store.get('approval-1');
  assert.deepEqual([covered?.status, covered?.answer?.decision], ['consumed', 'approved']);
  assert.equal((await store.decide('approval-1', { decision: 'denied', decidedAt: 1 })).status, 'conflict');
});
