import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isKernelError } from '@ravi/kernel';
import type { NewRun } from '@ravi/kernel';
import { newestVersion, openStateStore } from '@ravi/state-kit';
import { checkSampleState } from '@ravi/state-testing';
import { test } from 'vitest';
import { createSqliteStateStore } from '../src/index.ts';
import { openSqliteDatabase } from '../src/sqlite-database.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const versions = Array.from({ length: newestVersion() }, (_, index) => index + 1);

const newRun = (id: string, input = ''): NewRun => ({
  id,
  principal: 'ada',
  sessionId: 'session-1',
  definition: { kind: 'chain', input },
  createdAt: 1,
});

function newFile(): string {
  const file = newPlace();
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

function fixtureOf(version: number): string {
  return join(import.meta.dirname, `fixtures/version-${version}.sql`);
}

test.skipIf(process.platform === 'win32')(
  'no other user can read a new database (Windows has no such modes)',
  async () => {
    const file = newFile();
    await using store = await createSqliteStateStore({ file });
    await store.runs.create(newRun('run-1'));
    for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal(statSync(path).mode & 0o077, 0, path);
  },
);

test('every schema version has a fixture database', () => {
  for (const version of versions) assert.ok(existsSync(fixtureOf(version)), `run test/write-fixture.ts for ${version}`);
});

for (const version of versions) {
  test(`a database of schema version ${version} opens with everything in it`, async () => {
    const file = newFile();
    const database = new DatabaseSync(file);
    database.exec(readFileSync(fixtureOf(version), 'utf8'));
    database.close();
    await using store = await createSqliteStateStore({ file });
    await checkSampleState(store);
  });
}

test('a run with a lease of schema version 17 is free once that has ended, and becomes one of a process', async () => {
  const file = newFile();
  using database = new DatabaseSync(file);
  database.exec(readFileSync(fixtureOf(17), 'utf8'));
  database.exec("UPDATE ravi_runs SET lease_expires_at = 2000 WHERE id = 'run-1'");
  let now = 1_999;
  await using store = await createSqliteStateStore({ file, clock: { now: () => now } });
  await store.processes.register({ id: 'new', deadAfterMs: 1_000 });
  assert.deepEqual((await store.runs.listFree()).items, []);
  assert.equal(await store.runs.claim('run-1', { owner: 'new' }), undefined);
  now = 2_000;
  assert.equal((await store.runs.listFree()).items[0]?.id, 'run-1');
  assert.equal((await store.runs.claim('run-1', { owner: 'new' }))?.epoch, 2);
  assert.equal(await store.runs.claim('run-1', { owner: 'other' }), undefined);
});

test('a database of a newer program is rejected with both versions and not changed', async () => {
  const file = newPlace();
  await (await createSqliteStateStore({ file }))[Symbol.asyncDispose]();
  const newer = newestVersion() + 1;
  using database = new DatabaseSync(file);
  database.prepare('INSERT INTO ravi_schema (version) VALUES (?)').run(newer);
  await assert.rejects(createSqliteStateStore({ file }), (error) => {
    assert.ok(isKernelError(error, 'E_CONFIG_INVALID'));
    assert.match(error.message, new RegExp(`version ${newer}.* up to ${newestVersion()}`));
    return true;
  });
  const { version } = database.prepare('SELECT max(version) AS version FROM ravi_schema').get() ?? {};
  assert.equal(version, newer);
});

test('several stores can open a new file at once', async () => {
  const file = newPlace();
  const stores = await Promise.all(Array.from({ length: 5 }, () => createSqliteStateStore({ file })));
  await Promise.all(stores.map((store, index) => store.runs.create(newRun(`run-${index}`))));
  for (const store of stores) {
    assert.equal((await store.runs.list({})).items.length, 5);
    await store[Symbol.asyncDispose]();
  }
});

test('a change waits while another process writes, without blocking the event loop', async () => {
  const file = newPlace();
  await using store = await createSqliteStateStore({ file });
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const created = store.runs.create(newRun('run-1'));
  // Would never run if the wait blocked the event loop.
  setImmediate(() => other.exec('COMMIT'));
  assert.equal((await created).id, 'run-1');
});

test('a file that stays locked is a retryable error with that message', async () => {
  const file = newPlace();
  await using store = await createSqliteStateStore({ file, busyTimeoutMs: 1 });
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(store.runs.create(newRun('run-1')), (error) => {
    assert.ok(isKernelError(error, 'E_STATE_UNAVAILABLE') && error.retryable);
    assert.match(error.message, /locked/);
    return true;
  });
  assert.equal(await store.runs.get('run-1'), undefined);
  other.exec('COMMIT');
  await store.runs.create(newRun('run-1'));
});

test('a full disk is a retryable error with that message; nothing is lost, and writes work again with space', async () => {
  const database = openSqliteDatabase({
    file: newPlace(),
    busyTimeoutMs: 1_000,
    durability: 'disk',
    leaseNow: Date.now,
  });
  await using store = await openStateStore(database);
  const [{ page_count: pages } = {}] = await database.all('PRAGMA page_count');
  await database.all(`PRAGMA max_page_count = ${Number(pages) + 20}`);
  let kept = 0;
  const fill = async (): Promise<never> => {
    for (;;) {
      await store.runs.create(newRun(`run-${kept}`, 'x'.repeat(10_000)));
      kept += 1;
    }
  };
  await assert.rejects(fill(), (error) => {
    assert.ok(isKernelError(error, 'E_STATE_UNAVAILABLE') && error.retryable);
    assert.match(error.message, /full/);
    return true;
  });
  assert.ok(kept > 0);
  assert.equal(await store.runs.get(`run-${kept}`), undefined);
  await database.all('PRAGMA max_page_count = 10000');
  await store.runs.create(newRun(`run-${kept}`));
  assert.equal((await store.runs.list({}, { limit: 1_000 })).items.length, kept + 1);
});

test('a file that is not a database and a file with damaged pages are reported as corrupt', async () => {
  const text = newFile();
  writeFileSync(text, 'not a database at all, but long enough to be read as one'.repeat(100));
  await assert.rejects(createSqliteStateStore({ file: text }), (error) => isKernelError(error, 'E_STATE_CORRUPT'));

  const file = newPlace();
  const store = await createSqliteStateStore({ file });
  for (let number = 0; number < 50; number++) await store.runs.create(newRun(`run-${number}`, 'x'.repeat(2_000)));
  await store[Symbol.asyncDispose]();
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4_096);
  writeFileSync(file, bytes);
  await assert.rejects(createSqliteStateStore({ file }), (error) => isKernelError(error, 'E_STATE_CORRUPT'));
});

test('a check succeeds on a usable file, and fails for good once a read has found damage', async () => {
  const file = newPlace();
  const runIds = Array.from({ length: 40 }, (_, number) => `run-${number}`);
  {
    await using store = await createSqliteStateStore({ file });
    for (const id of runIds) await store.runs.create(newRun(id, 'x'.repeat(100_000)));
    await store.check?.();
    assert.equal(await store.requests.removeOld(Number.MAX_SAFE_INTEGER), 0);
  }
  await using store = await createSqliteStateStore({ file });
  await store.check?.();
  const whole = readFileSync(file);
  const damaged = Buffer.from(whole);
  // The rows and most of their pages; the schema and the roots of the tables are before them.
  damaged.fill(0xff, 100 * 4_096);
  writeFileSync(file, damaged, { flag: 'r+' });
  const isCorrupt = (error: unknown): boolean => isKernelError(error, 'E_STATE_CORRUPT');
  // The newest first: the page that has its row is damaged, and not only the last piece of its text.
  await assert.rejects(async () => {
    for (const id of runIds.toReversed()) await store.runs.get(id);
  }, isCorrupt);
  await assert.rejects(async () => store.check?.(), isCorrupt);
  writeFileSync(file, whole, { flag: 'r+' });
  await assert.rejects(async () => store.check?.(), isCorrupt);
});

test('a file that cannot be opened is unavailable, and the message has no path', async () => {
  for (const file of [dirname(newFile()), '/dev/null/state.db']) {
    await assert.rejects(createSqliteStateStore({ file }), (error) => {
      assert.ok(isKernelError(error, 'E_STATE_UNAVAILABLE'));
      assert.doesNotMatch(error.message, /\//);
      return true;
    });
  }
});

test('a store in memory works like one in a file, and two of them are separate', async () => {
  await using one = await createSqliteStateStore({ file: ':memory:' });
  await using other = await createSqliteStateStore({ file: ':memory:', durability: 'process' });
  await one.runs.create(newRun('run-1'));
  assert.equal((await one.runs.get('run-1'))?.id, 'run-1');
  assert.equal(await other.runs.get('run-1'), undefined);
});
