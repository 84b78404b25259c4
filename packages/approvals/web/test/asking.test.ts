import assert from 'node:assert/strict';
import { createMemoryApprovalStore } from '@ravi/testkit';
import { test } from 'vitest';
import { openScene } from './support/handler.ts';

const decision = '/v1/approvals/approval-1/decision';
const yes = { body: { decision: 'approved', reason: 'fine', scope: 'run' } };

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a decision over HTTP is returned to the call and consumed by it', async () => {
  const { ask, store, send } = openScene();
  const result = ask();
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'pending');
  assert.equal((await send('POST', decision, yes)).status, 200);
  assert.deepEqual(await result, { decision: 'approved', approver: 'ada', reason: 'fine', scope: 'run' });
  const kept = await store.get('approval-1');
  assert.deepEqual([kept?.status, kept?.consumer], ['consumed', 'run-1:call-1']);
});

test('a decision that another process takes is noticed within maxPollMs, and no timer is left', async () => {
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

test('a request that its caller no longer waits for cannot be decided', async () => {
  const { ask, store, clock, send } = openScene();
  const waiting = new AbortController();
  const result = ask({}, waiting.signal);
  await settle();
  waiting.abort();
  await assert.rejects(result, (error) => error === waiting.signal.reason);
  await settle();
  assert.equal((await store.get('approval-1'))?.status, 'withdrawn');
  assert.equal((await send('POST', decision, yes)).status, 410);
  assert.equal(clock.pendingTimers, 0);
});

test('a request survives the end of its process and can be decided by the next one', async () => {
  const store = createMemoryApprovalStore();
  const before = openScene({ store });
  await before.keep();
  void before.ask();
  await settle();
  await before.handler[Symbol.asyncDispose]();

  const after = openScene({ store });
  const { body } = await after.send('GET', '/v1/approvals?status=pending');
  assert.deepEqual(
    body.items.map(({ id }: { id: string }) => id),
    ['approval-1'],
  );
  const resumed = after.ask();
  assert.equal((await after.send('POST', decision, yes)).status, 200);
  assert.equal((await resumed).decision, 'approved');
});
