import assert from 'node:assert/strict';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { Clock, LeaseRenewal } from '@ravi/kernel';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { keepLease } from '../../src/index.ts';
import type { KeptLease } from '../../src/index.ts';
import { createTestRuns } from '../support/memory-state.ts';

const leaseMs = 9_000;
const hourMs = 3_600_000;
const writer = { runId: 'run-1', owner: 'one', epoch: 3 } as const;

/** A kept lease, whose renewals the test sees, and the clock of its process: `step` sets it, `stop` stops the process. */
function keep(renew: (request: LeaseRenewal) => Promise<boolean> = async () => true) {
  const fake = createFakeClock();
  let wallMs = 0;
  let stoppedMs = 0;
  const clock: Clock = {
    ...fake,
    now: () => fake.now() + wallMs + stoppedMs,
    monotonic: () => fake.monotonic() + stoppedMs,
  };
  const renewals: LeaseRenewal[] = [];
  let losses = 0;
  const runs = {
    ...createTestRuns(),
    renew(_id: string, request: LeaseRenewal) {
      renewals.push(request);
      return renew(request);
    },
  };
  const lease: KeptLease = keepLease({
    runs,
    writer,
    clock,
    logger: silentLogger,
    leaseMs,
    heldSince: clock.monotonic(),
    onLost: () => void losses++,
  });
  return {
    lease,
    renewals,
    get losses() {
      return losses;
    },
    step: (ms: number) => void (wallMs += ms),
    stop: (ms: number) => void (stoppedMs += ms),
    async pass(ms: number) {
      fake.advance(ms);
      await settle();
    },
  };
}

test('the lease is renewed in its epoch, every third of its length', async () => {
  const kept = keep();
  for (let third = 0; third < 3; third++) await kept.pass(leaseMs / 3);
  assert.deepEqual(kept.renewals, Array(3).fill({ owner: 'one', leaseMs, epoch: 3 }));
  assert.equal(kept.lease.isCertain, true);
  kept.lease[Symbol.dispose]();
  await kept.pass(leaseMs);
  assert.equal(kept.renewals.length, 3);
});

test('a clock that is set forward or back by an hour loses no lease', async () => {
  for (const stepMs of [hourMs, -hourMs]) {
    const kept = keep();
    kept.step(stepMs);
    // The clock may also have jumped because the machine was suspended, so the store is asked.
    assert.equal(kept.lease.isCertain, stepMs < 0);
    assert.equal(await kept.lease.confirm(), true);
    assert.deepEqual([kept.lease.isCertain, kept.lease.isLost, kept.losses], [true, false, 0]);
    kept.step(-stepMs);
    await kept.pass(leaseMs / 3);
    assert.deepEqual([kept.lease.isCertain, kept.losses], [true, 0]);
  }
});

test('after a stop the lease is not certain before the store has confirmed it', async () => {
  const kept = keep();
  kept.stop(leaseMs);
  assert.deepEqual([kept.lease.isCertain, kept.lease.isLost], [false, false]);
  assert.equal(await kept.lease.confirm(), true);
  assert.equal(kept.lease.isCertain, true);
});

test('the loss of the lease is reported once, and the store is not asked again', async () => {
  const kept = keep(async () => false);
  assert.deepEqual(await Promise.all([kept.lease.confirm(), kept.lease.confirm()]), [false, false]);
  assert.deepEqual([kept.lease.isLost, kept.lease.isCertain, kept.losses], [true, false, 1]);
  const { length } = kept.renewals;
  assert.equal(await kept.lease.confirm(), false);
  await kept.pass(leaseMs);
  assert.equal(kept.renewals.length, length);
});

test('a store that is unavailable leaves the lease as it is', async () => {
  const kept = keep(async () => {
    throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone');
  });
  for (let third = 0; third < 3; third++) await kept.pass(leaseMs / 3);
  assert.deepEqual([kept.renewals.length, kept.lease.isLost, kept.lease.isCertain, kept.losses], [3, false, false, 0]);
});
