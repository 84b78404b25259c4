import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, test } from 'vitest';
import { createSqliteStateStore } from '../src/index.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const wallClock = Date.now;
const hourMs = 3_600_000;
const run = { principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 1 };
const deadAfterMs = 60_000;

afterEach(() => {
  Date.now = wallClock;
});

function stepClock(ms: number): void {
  Date.now = () => wallClock() + ms;
}

for (const [direction, ms] of Object.entries({ forward: hourMs, back: -hourMs })) {
  test(`a wall clock that is set ${direction} neither ends nor prolongs the life of a process`, async () => {
    const file = newPlace();
    await using one = await createSqliteStateStore({ file });
    await one.processes.register({ id: 'one', deadAfterMs });
    await one.runs.create({ ...run, id: 'run-1' }, { owner: 'one' });
    stepClock(ms);
    await one.processes.beat('one');
    await using two = await createSqliteStateStore({ file });
    assert.equal(await two.runs.claim('run-1', { owner: 'two' }), undefined);
    const [process] = (await two.processes.list()).items;
    const beatAgoMs = wallClock() - (process?.heartbeatAt ?? 0);
    assert.ok(Math.abs(beatAgoMs) < deadAfterMs, `the heartbeat was ${beatAgoMs} ms ago`);
    assert.deepEqual([process?.epoch, process?.isAlive], [1, true]);
    assert.deepEqual((await two.runs.listFree()).items, []);
  });
}

test('no process outlives a restart of the machine', async () => {
  const file = newPlace();
  await (async () => {
    await using one = await createSqliteStateStore({ file });
    await one.processes.register({ id: 'one', deadAfterMs });
    await one.leases.acquire('work', { owner: 'one', forMs: deadAfterMs });
    for (const id of ['of a process', 'with an old lease']) await one.runs.create({ ...run, id }, { owner: 'one' });
  })();
  {
    using database = new DatabaseSync(file);
    database.exec("UPDATE ravi_machine_clock SET boot = 'the boot before'");
    database.exec(
      "UPDATE ravi_runs SET lease_owner = 'earlier', lease_expires_at = 9e15 WHERE id = 'with an old lease'",
    );
  }
  await using two = await createSqliteStateStore({ file });
  for (const id of ['of a process', 'with an old lease']) {
    assert.equal((await two.runs.claim(id, { owner: 'two' }))?.epoch, 2);
  }
  assert.equal(await two.leases.acquire('work', { owner: 'two', forMs: deadAfterMs }), true);
});

test('a test can move the clock of processes', async () => {
  let now = 1_000;
  await using store = await createSqliteStateStore({ file: ':memory:', clock: { now: () => now } });
  assert.equal((await store.processes.register({ id: 'one', deadAfterMs })).heartbeatAt, 1_000);
  await store.runs.create({ ...run, id: 'run-1' }, { owner: 'one' });
  now = 60_999;
  assert.equal(await store.runs.claim('run-1', { owner: 'two' }), undefined);
  now = 61_000;
  assert.equal((await store.runs.claim('run-1', { owner: 'two' }))?.owner, 'two');
});
