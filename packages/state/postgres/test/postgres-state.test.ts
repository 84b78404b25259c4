import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import type { KernelErrorCode, NewRun } from '@ravi/kernel';
import { newestVersion } from '@ravi/state-kit';
import { checkSampleState, postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';

const versions = Array.from({ length: newestVersion() }, (_, index) => index + 1);
const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url } = server;
const withServer = url === undefined ? test.skip : test;

const newRun = (id: string): NewRun => ({
  id,
  principal: 'ada',
  sessionId: 'session-1',
  definition: { kind: 'chain' },
  createdAt: 1,
});

let schemas = 0;

function newSchema(): string {
  schemas += 1;
  return `state_${process.pid}_${schemas}`;
}

function openStore(schema: string): ReturnType<typeof createPostgresStateStore> {
  return createPostgresStateStore({ url: url ?? '', schema });
}

async function execute(schema: string, sql: string): Promise<void> {
  await using client = await connect(schema);
  await client.query(sql);
}

async function connect(schema: string): Promise<Pick<pg.Client, 'query'> & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function rejectsWith(code: KernelErrorCode, promise: Promise<unknown>, words: RegExp): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isKernelError(error, code), String(error));
    assert.match(error.message, words);
    return true;
  });
}

function fixtureOf(version: number): string {
  return join(import.meta.dirname, `fixtures/version-${version}.sql`);
}

test('every schema version has a fixture database', () => {
  for (const version of versions) assert.ok(existsSync(fixtureOf(version)), `run test/write-fixture.ts for ${version}`);
});

for (const version of versions) {
  withServer(`a database of schema version ${version} opens with everything in it`, async () => {
    const schema = newSchema();
    await execute(schema, `CREATE SCHEMA ${schema}`);
    await execute(schema, readFileSync(fixtureOf(version), 'utf8'));
    await using store = await openStore(schema);
    await checkSampleState(store);
  });
}

withServer('a database of a newer program is rejected with both versions', async () => {
  const schema = newSchema();
  await (await openStore(schema))[Symbol.asyncDispose]();
  const newer = newestVersion() + 1;
  await execute(schema, `INSERT INTO ravi_schema (version) VALUES (${newer})`);
  const words = new RegExp(`version ${newer}.* up to ${newestVersion()}`);
  await rejectsWith('E_CONFIG_INVALID', openStore(schema), words);
});

withServer('several stores can open a new schema at once, and another schema is separate', async () => {
  const schema = newSchema();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(schema)));
  await Promise.all(stores.map((store, index) => store.runs.create(newRun(`run-${index}`))));
  for (const store of stores) {
    assert.equal((await store.runs.list({})).items.length, 5);
    await store[Symbol.asyncDispose]();
  }
  await using other = await openStore(newSchema());
  assert.equal((await other.runs.list({})).items.length, 0);
});

withServer('a locked table is a retryable error, and the next change succeeds', async () => {
  const schema = newSchema();
  await using store = await createPostgresStateStore({ url: url ?? '', schema, timeoutMs: 200 });
  await using client = await connect(schema);
  await client.query('BEGIN; LOCK TABLE ravi_runs IN ACCESS EXCLUSIVE MODE');
  await rejectsWith('E_STATE_UNAVAILABLE', store.runs.create(newRun('run-1')), /time/);
  await client.query('COMMIT');
  await store.runs.create(newRun('run-2'));
});

withServer(
  'a full disk is a retryable error with that message; nothing is lost, and writes work again with space',
  async () => {
    const schema = newSchema();
    await using store = await openStore(schema);
    await store.runs.create(newRun('run-1'));
    // A server reports it with this code; a real full disk would break the other tests.
    await execute(
      schema,
      `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
     CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ravi_runs EXECUTE FUNCTION fill();`,
    );
    await rejectsWith('E_STATE_UNAVAILABLE', store.runs.create(newRun('run-2')), /disk of the state database is full/);
    const change = { from: ['running'], to: 'paused', now: 2 } as const;
    await rejectsWith('E_STATE_UNAVAILABLE', store.runs.transition('run-1', change), /is full/);
    assert.equal((await store.runs.get('run-1'))?.status, 'running');
    assert.equal(await store.runs.get('run-2'), undefined);
    await execute(schema, 'DROP TRIGGER full_disk ON ravi_runs');
    assert.ok(await store.runs.transition('run-1', change));
    await store.runs.create(newRun('run-2'));
  },
);

withServer('a refused login is an error that no retry cures, without user or password in its message', async () => {
  const wrong = new URL(url ?? '');
  wrong.password = 'the-wrong-one';
  await assert.rejects(createPostgresStateStore({ url: wrong.href }), (error) => {
    assert.ok(isKernelError(error, 'E_STATE_UNAVAILABLE') && !error.retryable, String(error));
    assert.equal(error.message, 'The state database refused access');
    assert.match(String(error.cause), /password authentication failed for user/);
    assert.doesNotMatch(String(error.cause), /wrong-one/);
    return true;
  });
});

test('an unreachable server is unavailable, and an invalid schema name is rejected', async () => {
  const nowhere = 'postgres://missing:secret@127.0.0.1:1/none';
  await rejectsWith('E_STATE_UNAVAILABLE', createPostgresStateStore({ url: nowhere }), /does not respond/);
  const schema = 'a"; DROP TABLE x; --';
  await rejectsWith('E_CONFIG_INVALID', createPostgresStateStore({ url: nowhere, schema }), /schema must match/);
});

withServer('one memory among 10 000 is found, and no more are added', async () => {
  const schema = newSchema();
  await using store = await openStore(schema);
  const { memories } = store;
  await execute(
    schema,
    `INSERT INTO ravi_memories (principal_key, id, words, record)
     SELECT 'ada', 'm' || i, '''order'':1 ''' || i || ''':2 ''warehouse'':3' || CASE i WHEN 7777 THEN ' ''zeppelin'':4' ELSE '' END,
       '{"id":"m' || i || '","principal":"ada","text":"order ' || i || '","createdAt":1}'
     FROM generate_series(1, 10000) AS i`,
  );
  const found = await memories.search('ada', 'the order by zeppelin to the warehouse', { limit: 5 });
  assert.deepEqual([found[0]?.id, found.length], ['m7777', 5]);
  assert.equal((await memories.search('ada', 'order 4321'))[0]?.id, 'm4321');
  const another = { id: 'new', principal: 'ada', text: 'x', createdAt: 1 };
  await rejectsWith('E_BUDGET_EXHAUSTED', memories.add(another), /10000/);
  assert.equal(await memories.clear('ada'), 10_000);
});
