import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, test } from 'vitest';
import { createSqliteStateStore } from '../src/index.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const wallClock = Date.now;
const hourMs = 3_600_000;
const run = { principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 1 };
const lease = (owner: string) => ({ owner, leaseMs: 60_000 });

afterEach(() => {
  Date.now = wallClock;
});

function stepClock(ms: number): void {
  Date.now = () => wallClock() + ms;
}

for (const [direction, ms] of Object.entries({ forward: hourMs, back: -hourMs })) {
  test(`a wall clock that is set ${direction} neither ends nor prolongs a lease`, async () => {
    const file = newPlace();
    await using one = await createSqliteStateStore({ file });
    await one.runs.create({ ...run, id: 'before' }, lease('one'));
    stepClock(ms);
    await one.runs.create({ ...run, id: 'after' }, lease('one'));
    await using two = await createSqliteStateStore({ file });
    for (const id of ['before', 'after']) {
      assert.equal(await two.runs.claim(id, lease('two')), undefined);
      const expiresInMs = ((await two.runs.get(id))?.lease?.expiresAt ?? 0) - wallClock();
      assert.ok(expiresInMs > 0 && expiresInMs <= 61_000, `${id} expires in ${expiresInMs} ms`);
    }
    assert.deepEqual((await two.runs.listExpired()).items, []);
  });
}

test('no lease outlives a restart of the machine', async () => {
  const file = newPlace();
  await (async () => {
    await using one = await createSqliteStateStore({ file });
    await one.runs.create({ ...run, id: 'run-1' }, lease('one'));
  })();
  {
    using database = new DatabaseSync(file);
    database.exec("UPDATE ravi_machine_clock SET boot = 'the boot before'");
  }
  await using two = await createSqliteStateStore({ file });
  assert.equal((await two.runs.claim('run-1', lease('two')))?.epoch, 2);
});

test('a test can move the clock of leases', async () => {
  let now = 1_000;
  await using store = await createSqliteStateStore({ file: ':memory:', clock: { now: () => now } });
  const { lease: held } = await store.runs.create({ ...run, id: 'run-1' }, lease('one'));
  assert.equal(held?.expiresAt, 61_000);
  now = 61_000;
  assert.equal((await store.runs.claim('run-1', lease('two')))?.lease?.owner, 'two');
});
