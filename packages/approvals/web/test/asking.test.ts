import assert from 'node:assert/strict';
import { createApprovalRequest, createMemoryApprovalStore, createMemoryLogger } from '@ravi/testkit';
import { KernelError, isKernelError } from '@ravi/kernel';
import type { ApprovalStore } from '@ravi/kernel';
import { test } from 'vitest';
import { openScene } from './support/handler.ts';
import type { Scene } from './support/handler.ts';

const decision = '/v1/approvals/approval-1/decision';
const yes = { body: { decision: 'approved', reason: 'go on', scope: 'run' } };

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a request is in the store before anybody is asked, and is consumed by whoever asked', async () => {
  const { ask, store, send } = openScene();
  const result = ask();
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'pending');
  assert.equal((await send('POST', decision, yes)).status, 200);
  assert.deepEqual(await result, { decision: 'approved', approver: 'ada', reason: 'go on', scope: 'run' });
  const kept = await store.get('approval-1');
  assert.deepEqual([kept?.status, kept?.consumer], ['consumed', 'run-1/call-1']);
});

test('an answer that another process takes is noticed, and nothing is left behind', async () => {
  const store = createMemoryApprovalStore();
  const here = openScene({ store });
  const elsewhere = openScene({ store });
  const result = here.ask();
  await settle();
  await elsewhere.send('POST', decision, yes);
  await settle();
  here.clock.advance(500);
  assert.equal((await result).decision, 'approved');
  assert.equal(here.clock.pendingTimers, 0);
});

test('the poller looks less often the longer nothing happens, and never less often than it was told', async () => {
  const store = createMemoryApprovalStore();
  let looks = 0;
  const counting: ApprovalStore = { ...store, changes: (query) => (looks++, store.changes(query)) };
  const { ask, clock } = openScene({ store: counting, maxPollMs: 400 });
  const waiting = new AbortController();
  const result = ask({ expiresAt: Date.UTC(2026, 0, 1) }, waiting.signal);
  await settle();
  const byPause: number[] = [];
  for (let elapsed = 0; elapsed < 4_000; elapsed += 25) {
    const before = looks;
    clock.advance(25);
    await settle();
    if (looks > before) byPause.push(elapsed);
  }
  const pauses = byPause.slice(1).map((at, index) => at - (byPause[index] ?? 0));
  assert.deepEqual(pauses.slice(-5), [400, 400, 400, 400, 400]);
  assert.ok((pauses[0] ?? 0) <= 100, String(pauses));
  waiting.abort();
  await result;
});

test('a question that nobody waits for any more is withdrawn from the store', async () => {
  const { ask, store, clock, send } = openScene();
  const waiting = new AbortController();
  const result = ask({}, waiting.signal);
  await settle();
  waiting.abort();
  assert.equal((await result).decision, 'denied');
  assert.equal((await store.get('approval-1'))?.status, 'expired');
  assert.equal((await send('POST', decision, yes)).status, 410);
  assert.equal(clock.pendingTimers, 0);
});

test('a question whose time is over ends by itself, a little after whoever asked has given up', async () => {
  const { ask, store, clock } = openScene();
  let isSettled = false;
  const result = ask();
  void result.then(() => (isSettled = true));
  await settle();
  clock.advance(55_000);
  await settle();
  assert.equal(isSettled, false);
  clock.advance(1_000);
  assert.deepEqual(await result, { decision: 'denied', reason: 'Nobody answered in time' });
  assert.equal((await store.get('approval-1'))?.status, 'expired');
});

test('a request that somebody else has kept is waited for, and neither consumed nor withdrawn here', async () => {
  const { ask, keep, store, send } = openScene();
  await keep();
  const waiting = new AbortController();
  const first = ask({}, waiting.signal);
  await settle();
  waiting.abort();
  assert.equal((await first).decision, 'denied');
  assert.equal((await store.get('approval-1'))?.status, 'pending');
  const second = ask();
  await send('POST', decision, yes);
  assert.equal((await second).decision, 'approved');
  assert.equal((await store.get('approval-1'))?.status, 'approved');
});

test('a request that is kept under the same id for something else is refused', async () => {
  const { ask, keep } = openScene();
  await keep();
  for (const other of [{ argsDigest: 'other' }, { principal: 'eve' }, { tool: 'other' }]) {
    await assert.rejects(ask(other), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  }
});

test('a request survives the end of its process and can be answered by the next one', async () => {
  const store = createMemoryApprovalStore();
  const before = openScene({ store });
  await before.keep();
  void before.ask();
  await settle();
  await before.handler[Symbol.asyncDispose]();

  const after = openScene({ store });
  const { body } = await after.send('GET', '/v1/approvals?status=pending');
  assert.deepEqual(
    body.approvals.map(({ id }: { id: string }) => id),
    ['approval-1'],
  );
  const resumed = after.ask();
  assert.equal((await after.send('POST', decision, yes)).status, 200);
  assert.equal((await resumed).decision, 'approved');
});

test('an answer that was used already approves nothing', async () => {
  const store = createMemoryApprovalStore();
  const scene = openScene({
    store: {
      ...store,
      async consume(id, binding, by) {
        await store.consume(id, binding, { ...by, consumer: 'somebody else' });
        return store.consume(id, binding, by);
      },
    },
  });
  const result = scene.ask();
  await settle();
  await scene.send('POST', decision, yes);
  assert.deepEqual(await result, { decision: 'denied', reason: 'The answer was used already' });
});

test('a store that is gone for a while delays an answer and loses none', async () => {
  const store = createMemoryApprovalStore();
  const logger = createMemoryLogger();
  let isGone = false;
  const flaky: ApprovalStore = {
    ...store,
    async changes(query) {
      if (isGone) throw new KernelError('E_STATE_UNAVAILABLE', 'gone', { retryable: true });
      return store.changes(query);
    },
  };
  const scene = openScene({ store: flaky, logger });
  const result = scene.ask();
  await settle();
  isGone = true;
  await scene.send('POST', decision, yes);
  for (let seconds = 0; seconds < 10; seconds++) {
    scene.clock.advance(1_000);
    await settle();
  }
  assert.ok(logger.messages('warn').length > 0);
  isGone = false;
  scene.clock.advance(1_000);
  assert.equal((await result).decision, 'approved');
});

test('a thousand questions are answered in any order, each with its own answer', async () => {
  const scene: Scene = openScene();
  const ids = Array.from({ length: 1_000 }, (_, index) => `approval-${index}`);
  const results = ids.map((id) => scene.ask({ ...createApprovalRequest(), id, callId: id }));
  await settle();
  const answers = ids.map((id, index) =>
    scene.store.decide(id, {
      decision: index % 2 === 0 ? 'approved' : 'denied',
      decidedAt: scene.clock.now(),
      reason: id,
    }),
  );
  await Promise.all(answers.toReversed());
  scene.clock.advance(500);
  for (const [index, result] of (await Promise.all(results)).entries()) {
    assert.deepEqual([result.decision, result.reason], [index % 2 === 0 ? 'approved' : 'denied', ids[index]]);
  }
});
