import assert from 'node:assert/strict';
import { allPages, deadAfterMs, midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** Cases about the records of processes. Time passes by the clock of the store alone. */
export function livingProcessCases(suite: StateStoreSuite): void {
  casesAtOnce(suite);
  const { passTime } = suite.options;
  if (passTime === undefined) suite.skip('processes fall silent (skipped: the suite cannot let time pass)');
  else casesInTime(suite, passTime);
}

function casesAtOnce({ needing }: StateStoreSuite): void {
  const scenario = needing('processes');
  scenario('a process is listed as it registered, and lives', async ({ processes }) => {
    const known = { id: 'one', deadAfterMs, address: 'http://10.0.0.7:7341', version: '1.2.3 漢字' };
    const first = await processes.register(known);
    const { startedAt, heartbeatAt, ...rest } = first;
    assert.deepEqual(rest, { ...known, epoch: 1, isAlive: true });
    assert.equal(heartbeatAt, startedAt);
    await processes.register({ id: 'two', deadAfterMs: 1_000 });
    const [one, two] = whole(await processes.list());
    assert.deepEqual(one, first);
    assert.deepEqual([two?.id, two?.deadAfterMs, two?.address, two?.version], ['two', 1_000, undefined, undefined]);
    const listed = await allPages((page) => processes.list(page), 1);
    assert.deepEqual(
      listed.map(({ id }) => id),
      ['one', 'two'],
    );
  });

  scenario('a process that registers again changes its address, and stays the same process', async ({ processes }) => {
    const { startedAt } = await processes.register({ id: 'one', deadAfterMs, version: '1' });
    const again = await processes.register({ id: 'one', deadAfterMs: 5_000, address: 'http://one', version: '2' });
    assert.deepEqual([again.epoch, again.startedAt, again.deadAfterMs], [1, startedAt, 5_000]);
    assert.deepEqual([again.address, again.version], ['http://one', '2']);
    assert.equal(whole(await processes.list()).length, 1);
  });

  scenario('a process without a record has no heartbeat, and registers as a new one', async ({ processes }) => {
    assert.equal(await processes.beat('one'), undefined);
    await processes.register({ id: 'one', deadAfterMs });
    assert.equal(await processes.remove('one'), true);
    assert.equal(await processes.beat('one'), undefined);
    assert.equal((await processes.register({ id: 'one', deadAfterMs })).epoch, 1);
  });

  for (const wrong of [
    { deadAfterMs: 0 },
    { deadAfterMs: 86_400_001 },
    { deadAfterMs: 0.5 },
    { id: '' },
    { id: 'a\0b' },
    { address: 'x'.repeat(2_001) },
    { version: '' },
  ]) {
    const [[field, value] = []] = Object.entries(wrong);
    scenario(`a process with ${field} ${JSON.stringify(value).slice(0, 20)} is refused`, async ({ processes }) => {
      await rejectsWith('E_STATE_INVALID', processes.register({ id: 'one', deadAfterMs, ...wrong }));
      assert.deepEqual(whole(await processes.list()), []);
    });
  }
}

function casesInTime(
  { needing }: StateStoreSuite,
  passTime: NonNullable<StateStoreSuite['options']['passTime']>,
): void {
  const scenario = needing('processes');
  scenario('a process lives until its time without a heartbeat is over', async (store) => {
    const { processes } = store;
    const alive = async (): Promise<readonly boolean[]> => whole(await processes.list()).map(({ isAlive }) => isAlive);
    await processes.register({ id: 'one', deadAfterMs });
    await processes.register({ id: 'two', deadAfterMs: 2 * deadAfterMs });
    await passTime(store, deadAfterMs / 2);
    assert.equal(await processes.beat('one'), 1);
    await passTime(store, deadAfterMs / 2);
    assert.deepEqual(await alive(), [true, true]);
    await passTime(store, deadAfterMs / 2);
    assert.deepEqual(await alive(), [false, true]);
    await passTime(store, deadAfterMs / 2);
    assert.deepEqual(await alive(), [false, false]);
  });

  scenario('a process that comes back begins an epoch, by a heartbeat or by registering', async (store) => {
    const { processes } = store;
    const { startedAt } = await processes.register({ id: 'one', deadAfterMs });
    await passTime(store, deadAfterMs);
    assert.equal(await processes.beat('one'), 2);
    assert.equal(await processes.beat('one'), 2);
    await passTime(store, deadAfterMs);
    const again = await processes.register({ id: 'one', deadAfterMs });
    assert.deepEqual([again.epoch, again.isAlive], [3, true]);
    assert.ok(again.startedAt <= startedAt);
  });

  scenario('processes that died long ago are removed, unless a running run names them', async (store) => {
    const { processes, runs } = store;
    for (const id of ['old', 'owner', 'former']) await processes.register({ id, deadAfterMs });
    await runs.create(newRun('run-1'), { owner: 'owner' });
    await runs.create(newRun('run-2'), { owner: 'former' });
    await runs.transition('run-2', { from: ['running'], to: 'completed', now: midnight });
    await passTime(store, 2 * deadAfterMs);
    await processes.register({ id: 'young', deadAfterMs });
    assert.equal(await processes.removeDead(deadAfterMs + 1_000), 0);
    assert.equal(await processes.removeDead(deadAfterMs - 1_000), 2);
    assert.deepEqual(
      whole(await processes.list()).map(({ id }) => id),
      ['owner', 'young'],
    );
  });
}
