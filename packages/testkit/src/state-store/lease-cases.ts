import assert from 'node:assert/strict';
import { rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const forMs = 60_000;
const [one, two] = ['one', 'two'].map((owner) => ({ owner, forMs })) as [Claim, Claim];

interface Claim {
  readonly owner: string;
  readonly forMs: number;
}

/** Cases about the leases of an installation. Time passes by the clock of the store alone. */
export function leaseCases({ needing, skip, options: { passTime, reopen } }: StateStoreSuite): void {
  const scenario = needing('leases');

  scenario('a lease has one owner, who may renew it', async ({ leases }) => {
    assert.equal(await leases.acquire('sweep', one), true);
    assert.equal(await leases.acquire('sweep', two), false);
    assert.equal(await leases.acquire('sweep', one), true);
    assert.equal(await leases.acquire('sweep', two), false);
  });

  scenario('leases of different names are independent', async ({ leases }) => {
    assert.equal(await leases.acquire('sweep', one), true);
    assert.equal(await leases.acquire('Sweep', two), true);
    assert.equal(await leases.acquire('漢字', two), true);
    assert.equal(await leases.acquire('漢字', one), false);
  });

  scenario('of many processes at once, one takes a lease', async ({ leases }) => {
    const owners = Array.from({ length: 20 }, (_, index) => `process-${index}`);
    const taken = await Promise.all(owners.map((owner) => leases.acquire('sweep', { owner, forMs })));
    assert.equal(taken.filter(Boolean).length, 1);
    const again = await Promise.all(owners.map((owner) => leases.acquire('sweep', { owner, forMs })));
    assert.deepEqual(again, taken);
  });

  scenario('only its owner can end a lease before its time', async ({ leases }) => {
    assert.equal(await leases.release('sweep', 'one'), false);
    await leases.acquire('sweep', one);
    assert.equal(await leases.release('sweep', 'two'), false);
    assert.equal(await leases.acquire('sweep', two), false);
    assert.equal(await leases.release('sweep', 'one'), true);
    assert.equal(await leases.release('sweep', 'one'), false);
    assert.equal(await leases.acquire('sweep', two), true);
  });

  for (const wrong of [{ forMs: 0 }, { forMs: 0.5 }, { forMs: NaN }, { forMs: 86_400_001 }, { owner: '' }]) {
    const [[field, value] = []] = Object.entries(wrong);
    scenario(`a lease with ${field} ${JSON.stringify(value)} is refused`, async ({ leases }) => {
      await rejectsWith('E_STATE_INVALID', leases.acquire('sweep', { ...one, ...wrong }));
      await rejectsWith('E_STATE_INVALID', leases.acquire('a\0b', one));
      assert.equal(await leases.acquire('sweep', two), true);
    });
  }

  if (reopen !== undefined) {
    scenario('a lease outlives the store of its owner', async (store) => {
      await store.leases.acquire('sweep', one);
      await store[Symbol.asyncDispose]();
      await using opened = await reopen(store);
      assert.equal(await opened.leases?.acquire('sweep', two), false);
      assert.equal(await opened.leases?.acquire('sweep', one), true);
    });
  }

  if (passTime === undefined) return void skip('leases end (skipped: the suite cannot let time pass)');

  scenario('a lease that is not renewed ends, and another process takes it', async (store) => {
    const { leases } = store;
    await leases.acquire('sweep', one);
    await passTime(store, forMs / 2);
    assert.equal(await leases.acquire('sweep', two), false);
    await passTime(store, forMs / 2);
    assert.equal(await leases.release('sweep', 'one'), false);
    assert.equal(await leases.acquire('sweep', two), true);
    assert.equal(await leases.acquire('sweep', one), false);
  });

  scenario('a renewed lease lasts from its renewal', async (store) => {
    const { leases } = store;
    await leases.acquire('sweep', one);
    for (let renewal = 0; renewal < 3; renewal++) {
      await passTime(store, forMs / 2);
      assert.equal(await leases.acquire('sweep', one), true);
      assert.equal(await leases.acquire('sweep', two), false);
    }
    // Also for a shorter time than before.
    assert.equal(await leases.acquire('sweep', { owner: 'one', forMs: 1_000 }), true);
    await passTime(store, 1_000);
    assert.equal(await leases.acquire('sweep', two), true);
  });
}
