import assert from 'node:assert/strict';
import type { LeaseRequest, PageRequest } from '@ravi/kernel';
import { journalEntry } from './journal-cases.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const leaseMs = 60_000;

/** Returns a request for a lease that no test outlives. */
export function lease(owner: string): LeaseRequest {
  return { owner, leaseMs };
}

/** Cases about leases and epochs. Leases follow the clock of the store alone. */
export function leaseCases(suite: StateStoreSuite): void {
  casesWithoutTime(suite);
  const { passTime } = suite.options;
  if (passTime === undefined) suite.skip('leases expire (skipped: the suite cannot let time pass)');
  else casesInTime(suite, passTime);
}

function casesWithoutTime({ needing }: StateStoreSuite): void {
  const scenario = needing();
  scenario('each new owner of a run starts an epoch, also after a release or a pause', async ({ runs }) => {
    const epochOf = async (owner: string): Promise<number | undefined> =>
      (await runs.claim('run-1', lease(owner)))?.epoch;
    assert.equal((await runs.create(newRun('run-1'), lease('one'))).epoch, 1);
    assert.equal(await epochOf('one'), 1);
    assert.equal(await epochOf('two'), undefined);
    await runs.expireLeases('one');
    assert.equal(await epochOf('two'), 2);
    await runs.renew('run-1', lease('two'));
    assert.equal((await runs.get('run-1'))?.epoch, 2);
    await runs.release('run-1', 'two');
    assert.equal((await runs.get('run-1'))?.epoch, 2);
    assert.equal(await epochOf('two'), 3);
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight });
    assert.equal(await epochOf('two'), 4);
    await runs.create(newRun('run-2'));
    assert.equal((await runs.claim('run-2', lease('one')))?.epoch, 1);
  });

  scenario('who has lost the lease cannot change the status, and a pause releases the lease', async ({ runs }) => {
    await runs.create(newRun('run-1'), lease('one'));
    await runs.expireLeases('one');
    await runs.claim('run-1', lease('two'));
    const pause = { from: ['running'], to: 'paused', now: midnight } as const;
    assert.equal(await runs.transition('run-1', { ...pause, owner: 'one' }), false);
    assert.equal(await runs.transition('run-1', { ...pause, owner: 'two' }), true);
    assert.equal((await runs.get('run-1'))?.lease, undefined);
    await runs.claim('run-1', lease('three'));
    const resumed = { from: ['paused'], to: 'running', now: midnight, owner: 'three' } as const;
    assert.equal(await runs.transition('run-1', resumed), true);
    assert.equal((await runs.get('run-1'))?.lease?.owner, 'three');
    assert.equal(await runs.transition('run-1', { from: ['running'], to: 'completed', now: midnight }), true);
    assert.equal(await runs.claim('run-1', lease('four')), undefined);
  });

  scenario('a paused run whose owner has ended before it continued the run has no owner', async ({ runs }) => {
    await runs.create(newRun('run-1'), lease('one'));
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight });
    await runs.claim('run-1', lease('dead'));
    assert.deepEqual(await runs.listOwners(), ['dead']);
    assert.equal(await runs.expireLeases('dead'), 1);
    assert.deepEqual([await runs.listOwners(), (await runs.get('run-1'))?.lease], [[], undefined]);
    const resumed = { from: ['paused'], to: 'running', now: midnight } as const;
    assert.equal(await runs.transition('run-1', { ...resumed, owner: 'dead', epoch: 2 }), false);
    assert.equal((await runs.claim('run-1', lease('two')))?.epoch, 3);
  });

  scenario('the leases of an owner whose process has ended can be claimed at once', async ({ runs }) => {
    for (const [id, owner] of Object.entries({ 'run-1': 'dead', 'run-2': 'alive', 'run-3': 'dead', 'run-4': 'left' })) {
      await runs.create(newRun(id), lease(owner));
    }
    await runs.transition('run-4', { from: ['running'], to: 'completed', now: midnight });
    assert.deepEqual(await runs.listOwners(), ['alive', 'dead']);
    assert.equal(await runs.expireLeases('dead'), 2);
    const found = whole(await runs.listExpired()).map(({ id, lease: held }) => [id, held?.owner]);
    assert.deepEqual(found, [
      ['run-1', 'dead'],
      ['run-3', 'dead'],
    ]);
    assert.equal((await runs.claim('run-1', lease('alive')))?.epoch, 2);
    assert.equal(await runs.renew('run-1', lease('dead')), false);
    assert.equal(await runs.claim('run-2', lease('other')), undefined);
    assert.equal(await runs.expireLeases('unknown'), 0);
  });
}

function casesInTime({ needing, options }: StateStoreSuite, passTime: NonNullable<typeof options.passTime>): void {
  const scenario = needing();
  const withJournal = needing('journal');

  withJournal('a run belongs to its owner until the lease ends and another claims it', async (store) => {
    const { runs, journal } = store;
    const entry = (position: number, owner: string, epoch: number) =>
      journalEntry('run-1', position, { writer: { runId: 'run-1', owner, epoch } });
    const { lease: held } = await runs.create(newRun('run-1'), lease('one'));
    assert.equal(held?.owner, 'one');
    await passTime(store, leaseMs / 2);
    assert.equal(await runs.claim('run-1', lease('two')), undefined);
    const renewed = await runs.claim('run-1', lease('one'));
    assert.ok((renewed?.lease?.expiresAt ?? 0) >= held.expiresAt);
    await passTime(store, leaseMs);
    // No other process has claimed it yet, so its owner continues at any time.
    await journal.started(entry(1, 'one', 1));
    const claimed = await runs.claim('run-1', lease('two'));
    assert.deepEqual([claimed?.lease?.owner, claimed?.status], ['two', 'running']);
    await rejectsWith('E_STATE_CONFLICT', journal.started(entry(2, 'one', 1)));
    assert.equal(await runs.renew('run-1', lease('one')), false);
    await journal.started(entry(2, 'two', 2));
    assert.equal(whole(await journal.entries('run-1')).length, 2);
    assert.equal(await runs.claim('run-2', lease('two')), undefined);
  });

  scenario('a lease is renewed by its owner until another has it, and released by its owner alone', async (store) => {
    const { runs } = store;
    await runs.create(newRun('run-1'), lease('one'));
    await passTime(store, leaseMs);
    assert.equal(await runs.renew('run-1', lease('one')), true);
    assert.equal(await runs.claim('run-1', lease('two')), undefined);
    assert.equal(await runs.renew('run-1', lease('two')), false);
    assert.equal(await runs.release('run-1', 'two'), false);
    await passTime(store, leaseMs);
    await runs.claim('run-1', lease('two'));
    assert.equal(await runs.renew('run-1', lease('one')), false);
    assert.equal(await runs.release('run-1', 'two'), true);
    assert.equal((await runs.get('run-1'))?.lease, undefined);
    assert.notEqual(await runs.claim('run-1', lease('one')), undefined);
  });

  scenario(
    'released runs are found first, then those that wait longest; held and paused ones are not',
    async (store) => {
      const { runs } = store;
      for (const id of ['earlier', 'later', 'held']) {
        await runs.create(newRun(id), lease('one'));
        await passTime(store, leaseMs / 2);
      }
      await runs.renew('held', lease('one'));
      await runs.create(newRun('paused'), lease('one'));
      await runs.transition('paused', { from: ['running'], to: 'paused', now: midnight });
      await runs.create(newRun('released'), lease('one'));
      await runs.release('released', 'one');
      const ids = async (page?: PageRequest): Promise<readonly string[]> =>
        whole(await runs.listExpired(page)).map(({ id }) => id);
      assert.deepEqual(await ids(), ['released', 'earlier', 'later']);
      assert.deepEqual(await ids({ limit: 2 }), ['released', 'earlier']);
      const { next: cursor = '' } = await runs.listExpired({ limit: 1 });
      assert.deepEqual(await ids({ cursor }), ['earlier', 'later']);
      const { next: afterTwo = '' } = await runs.listExpired({ limit: 1, cursor });
      assert.deepEqual(await ids({ cursor: afterTwo }), ['later']);
      await rejectsWith('E_STATE_INVALID', runs.listExpired({ cursor: 'x' }));
    },
  );
}
