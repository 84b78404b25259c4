import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import { createApprovalRequest, createFakeClock, createMemoryApprovalStore, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { createApprovalFeed, createStoredApprovals } from '../src/index.ts';
import { settle } from './scene.ts';

const isTimeout = (error: unknown): boolean => isKernelError(error, 'E_APPROVAL_EXPIRED');

/** Requests an approval whose call ends at its limit, when the clock shows a time that is `earlyMs` before that. */
async function endAtLimit(earlyMs: number) {
  const real = createFakeClock();
  const store = createMemoryApprovalStore();
  let steppedMs = 0;
  const clock = { ...real, now: () => real.now() - steppedMs };
  const logger = createMemoryLogger();
  const feed = createApprovalFeed({ store, clock, logger });
  const approvals = createStoredApprovals({ store, clock, logger, feed });
  const own = createApprovalRequest();
  await store.create(createApprovalRequest({ id: 'other', callId: 'call-2', expiresAt: own.expiresAt - 5_000 }));
  const waiting = new AbortController();
  const result = approvals.request(own, { signal: waiting.signal });
  await settle();
  real.advance(own.expiresAt - real.now() - 10_000);
  steppedMs = earlyMs - 10_000;
  waiting.abort(new KernelError('E_APPROVAL_EXPIRED', 'No decision within the time limit'));
  await assert.rejects(result, isTimeout);
  await settle();
  const statusOf = async (id: string): Promise<string | undefined> => (await store.get(id))?.status;
  return { real, store, statusOf };
}

test('a request that ends after the clock was set back is withdrawn, and the requests of others stay open', async () => {
  const { store, statusOf } = await endAtLimit(20_000);
  assert.deepEqual([await statusOf('approval-1'), await statusOf('other')], ['withdrawn', 'pending']);
  assert.equal((await store.changes()).items.at(-1)?.reason, 'No decision within the time limit');
});

test('a request whose limit passes a moment before its time expires at its time', async () => {
  const { real, statusOf } = await endAtLimit(2);
  assert.equal(await statusOf('approval-1'), 'pending');
  real.advance(2);
  await settle();
  assert.equal(await statusOf('approval-1'), 'consumed');
});
