import assert from 'node:assert/strict';
import type { PageRequest } from '@ravi/kernel';
import { journalEntry } from './journal-cases.ts';
import { allPages, deadAfterMs, midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** Cases about the owners of runs and their epochs. An owner without a record counts as dead. */
export function ownerCases(suite: StateStoreSuite): void {
  casesOfEpochs(suite);
  casesOfProcesses(suite);
  const { passTime } = suite.options;
  if (passTime === undefined) suite.skip('silent processes lose their runs (skipped: the suite cannot let time pass)');
  else casesInTime(suite, passTime);
}

function casesOfEpochs({ needing }: StateStoreSuite): void {
  const scenario = needing();
  scenario('each new owner of a run starts an epoch, also after a release or a pause', async ({ runs }) => {
    const epochOf = async (owner: string): Promise<number | undefined> => (await runs.claim('run-1', { owner }))?.epoch;
    assert.equal((await runs.create(newRun('run-1'), { owner: 'one' })).epoch, 1);
    assert.equal(await epochOf('one'), 1);
    assert.equal(await epochOf('two'), 2);
    await runs.release('run-1', 'two');
    assert.equal((await runs.get('run-1'))?.epoch, 2);
    assert.equal(await epochOf('two'), 3);
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight });
    assert.equal(await epochOf('two'), 4);
    await runs.create(newRun('run-2'));
    assert.equal((await runs.claim('run-2', { owner: 'one' }))?.epoch, 1);
    assert.equal(await runs.claim('run-3', { owner: 'one' }), undefined);
  });

  scenario('who has lost a run cannot change its status, and a pause releases it', async ({ runs }) => {
    await runs.create(newRun('run-1'), { owner: 'one' });
    await runs.claim('run-1', { owner: 'two' });
    const pause = { from: ['running'], to: 'paused', now: midnight } as const;
    assert.equal(await runs.transition('run-1', { ...pause, owner: 'one' }), false);
    assert.equal(await runs.release('run-1', 'one'), false);
    assert.equal(await runs.transition('run-1', { ...pause, owner: 'two' }), true);
    assert.equal((await runs.get('run-1'))?.owner, undefined);
    await runs.claim('run-1', { owner: 'three' });
    const resumed = { from: ['paused'], to: 'running', now: midnight, owner: 'three' } as const;
    assert.equal(await runs.transition('run-1', resumed), true);
    assert.equal((await runs.get('run-1'))?.owner, 'three');
    assert.equal(await runs.transition('run-1', { from: ['running'], to: 'completed', now: midnight }), true);
    assert.equal(await runs.claim('run-1', { owner: 'four' }), undefined);
  });

  scenario('the live runs of an owner are listed with their epochs', async ({ runs }) => {
    for (const [id, owner] of Object.entries({ 'run-1': 'one', 'run-2': 'two', 'run-3': 'one', 'run-4': 'one' })) {
      await runs.create(newRun(id), { owner });
    }
    await runs.claim('run-2', { owner: 'one' });
    await runs.transition('run-3', { from: ['running'], to: 'failed', now: midnight });
    await runs.release('run-4', 'one');
    assert.deepEqual(await runs.listHeld('one'), [
      { id: 'run-1', epoch: 1 },
      { id: 'run-2', epoch: 2 },
    ]);
    assert.deepEqual(await runs.listHeld('two'), []);
  });
}

function casesOfProcesses({ needing }: StateStoreSuite): void {
  const scenario = needing('processes');
  scenario('a run of a living process is claimed by no other one, and found by none', async ({ runs, processes }) => {
    await processes.register({ id: 'one', deadAfterMs });
    await runs.create(newRun('run-1'), { owner: 'one' });
    assert.equal(await runs.claim('run-1', { owner: 'two' }), undefined);
    assert.deepEqual(whole(await runs.listFree()), []);
    assert.equal((await runs.claim('run-1', { owner: 'one' }))?.epoch, 1);
    await runs.release('run-1', 'one');
    assert.equal((await runs.claim('run-1', { owner: 'two' }))?.epoch, 2);
  });

  scenario('the runs of a removed process can be claimed at once', async ({ runs, processes }) => {
    for (const id of ['alive', 'ended']) await processes.register({ id, deadAfterMs });
    const owners = { 'run-1': 'ended', 'run-2': 'alive', 'run-3': 'ended', 'run-4': 'ended' };
    for (const [id, owner] of Object.entries(owners)) await runs.create(newRun(id), { owner });
    await runs.transition('run-4', { from: ['running'], to: 'completed', now: midnight });
    assert.equal(await processes.remove('ended'), true);
    const found = whole(await runs.listFree()).map(({ id, owner }) => [id, owner]);
    assert.deepEqual(found, [
      ['run-1', 'ended'],
      ['run-3', 'ended'],
    ]);
    assert.equal((await runs.claim('run-1', { owner: 'alive' }))?.epoch, 2);
    assert.equal(await runs.claim('run-2', { owner: 'other' }), undefined);
    assert.equal(await processes.remove('ended'), false);
  });

  scenario('a paused run whose owner ended before it continued the run has no owner', async ({ runs, processes }) => {
    await processes.register({ id: 'ended', deadAfterMs });
    await runs.create(newRun('run-1'), { owner: 'one' });
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight });
    await runs.claim('run-1', { owner: 'ended' });
    await processes.remove('ended');
    assert.equal((await runs.get('run-1'))?.owner, undefined);
    const resumed = { from: ['paused'], to: 'running', now: midnight } as const;
    assert.equal(await runs.transition('run-1', { ...resumed, owner: 'ended', epoch: 2 }), false);
    assert.equal((await runs.claim('run-1', { owner: 'two' }))?.epoch, 3);
  });

  scenario('released runs are found first, then those of each dead owner; others are not', async (store) => {
    const { runs, processes } = store;
    await processes.register({ id: 'alive', deadAfterMs });
    const owners = ['dead b', 'dead a', 'alive', 'dead b', 'dead a', 'alive'];
    for (const [index, owner] of owners.entries()) await runs.create(newRun(`run-${index}`), { owner });
    for (const id of ['paused', 'released', 'ownerless']) {
      await runs.create(newRun(id), id === 'ownerless' ? undefined : { owner: 'dead a' });
    }
    await runs.transition('paused', { from: ['running'], to: 'paused', now: midnight });
    await runs.claim('paused', { owner: 'dead a' });
    await runs.release('released', 'dead a');
    const expected = ['released', 'ownerless', 'run-1', 'run-4', 'run-0', 'run-3'];
    for (const limit of [1, 2, 3, 6, 100]) {
      const found = await allPages((page: PageRequest) => runs.listFree(page), limit);
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
      );
    }
    const begun = await allPages((page: PageRequest) => runs.listFree({ ...page, isBegun: true }), 2);
    assert.deepEqual(
      begun.map(({ id }) => id),
      expected.filter((id) => id !== 'ownerless'),
    );
    await rejectsWith('E_STATE_INVALID', runs.listFree({ cursor: 'x' }));
  });
}

function casesInTime(
  { needing }: StateStoreSuite,
  passTime: NonNullable<StateStoreSuite['options']['passTime']>,
): void {
  const scenario = needing('journal', 'processes');
  scenario('a run belongs to its owner until that one is silent and another claims it', async (store) => {
    const { runs, journal, processes } = store;
    const entry = (position: number, owner: string, epoch: number) =>
      journalEntry('run-1', position, { writer: { runId: 'run-1', owner, epoch } });
    await processes.register({ id: 'one', deadAfterMs });
    await runs.create(newRun('run-1'), { owner: 'one' });
    await passTime(store, deadAfterMs / 2);
    assert.equal(await runs.claim('run-1', { owner: 'two' }), undefined);
    assert.equal(await processes.beat('one'), 1);
    await passTime(store, deadAfterMs / 2);
    assert.equal(await runs.claim('run-1', { owner: 'two' }), undefined);
    await passTime(store, deadAfterMs / 2);
    assert.deepEqual(
      whole(await runs.listFree()).map(({ id }) => id),
      ['run-1'],
    );
    // No other process has claimed it yet, so its owner continues at any time.
    await journal.started(entry(1, 'one', 1));
    const claimed = await runs.claim('run-1', { owner: 'two' });
    assert.deepEqual([claimed?.owner, claimed?.status, claimed?.epoch], ['two', 'running', 2]);
    await rejectsWith('E_STATE_CONFLICT', journal.started(entry(2, 'one', 1)));
    assert.deepEqual(await runs.listHeld('one'), []);
    await journal.started(entry(2, 'two', 2));
    assert.equal(whole(await journal.entries('run-1')).length, 2);
  });

  scenario('a process that comes back keeps the runs that no other one has claimed', async (store) => {
    const { runs, processes } = store;
    for (const id of ['one', 'two']) await processes.register({ id, deadAfterMs });
    for (const id of ['kept', 'lost']) await runs.create(newRun(id), { owner: 'one' });
    await passTime(store, deadAfterMs);
    await processes.beat('two');
    assert.equal((await runs.claim('lost', { owner: 'two' }))?.epoch, 2);
    assert.equal(await processes.beat('one'), 2);
    assert.deepEqual(await runs.listHeld('one'), [{ id: 'kept', epoch: 1 }]);
    assert.equal(await runs.claim('kept', { owner: 'two' }), undefined);
  });
}
