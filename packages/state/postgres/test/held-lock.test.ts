import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { CompleteStateStore, NewRun } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test, vi } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';
import { createPostgresDatabase } from '../src/postgres-database.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const statements = 20;

const newRun = (id: string): NewRun => ({
  id,
  principal: 'ada',
  sessionId: 'session-1',
  definition: { kind: 'chain' },
  createdAt: 1,
});

function end(store: CompleteStateStore, id: string): Promise<boolean> {
  return store.runs.transition(id, { from: ['running'], to: 'completed', now: 2 });
}

async function connect(schema: string): Promise<Pick<pg.Client, 'query'> & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function waitsForTable(client: Pick<pg.Client, 'query'>): Promise<void> {
  for (;;) {
    const { rows } = await client.query("SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND NOT granted");
    if (rows.length > 0) return;
  }
}

function isUnavailable(error: unknown): boolean {
  return isKernelError(error, 'E_STATE_UNAVAILABLE') && error.retryable;
}

withServer('a transaction that waits too long for a lock leaves no connection in a failed transaction', async () => {
  const schema = `held_${process.pid}`;
  await using holder = await createPostgresStateStore({ url, schema });
  // One connection, so that every later statement uses the one that timed out.
  await using store = await createPostgresStateStore({ url, schema, timeoutMs: 300, maxConnections: 1 });
  await using client = await connect(schema);
  for (const id of ['run-1', 'run-2']) await store.runs.create(newRun(id));
  await client.query('BEGIN; LOCK TABLE ravi_approvals IN ACCESS EXCLUSIVE MODE');
  const holding = end(holder, 'run-1');
  await waitsForTable(client);
  await assert.rejects(end(store, 'run-2'), isUnavailable);
  await client.query('COMMIT');
  assert.ok(await holding);

  for (let done = 0; done < statements; done++) assert.equal((await store.runs.get('run-1'))?.status, 'completed');
  assert.ok(await end(store, 'run-2'));
});

withServer(
  'a transaction that stops between two statements is ended by the server, and its locks are free',
  async () => {
    const schema = `idle_${process.pid}`;
    await using store = await createPostgresStateStore({ url, schema });
    await using client = await connect(schema);
    await using database = createPostgresDatabase({ url, schema, timeoutMs: 300, maxConnections: 1 });
    const { promise: isFree, resolve: onFree } = Promise.withResolvers<void>();
    const { promise: isLocked, resolve: onLocked } = Promise.withResolvers<void>();
    const stopped = database.transaction(async (sql) => {
      await sql.all('LOCK TABLE ravi_runs IN ACCESS EXCLUSIVE MODE');
      onLocked();
      await isFree;
      await sql.all('SELECT 1');
    });
    await isLocked;
    // Waits until the server has ended the transaction.
    await client.query('BEGIN; LOCK TABLE ravi_runs IN ACCESS EXCLUSIVE MODE; COMMIT');
    onFree();
    await assert.rejects(stopped, isUnavailable);
    assert.deepEqual(await database.all('SELECT 1 AS one'), [{ one: 1 }]);
    await store.runs.create(newRun('run-1'));
  },
);

withServer('a migration may take longer than a statement, and other processes wait for it', async () => {
  const schema = `migrated_${process.pid}`;
  await using first = await createPostgresStateStore({ url, schema });
  await first.runs.create(newRun('run-1'));
  await using client = await connect(schema);
  await client.query('BEGIN; LOCK TABLE ravi_schema IN ACCESS EXCLUSIVE MODE');
  const opening = createPostgresStateStore({ url, schema, timeoutMs: 1_000 });
  await waitsForTable(client);
  // Longer than a statement of that store may take.
  await pause(2_500);
  await client.query('COMMIT');
  await using second = await opening;
  assert.equal((await second.runs.get('run-1'))?.status, 'running');
});

withServer('a query that is sent with the BEGIN of its transaction has the time of both', async () => {
  const schema = `limits_${process.pid}`;
  await using store = await createPostgresStateStore({ url, schema });
  assert.deepEqual((await store.runs.list({})).items, []);
  await using database = createPostgresDatabase({ url, schema, timeoutMs: 5_000, maxConnections: 1 });
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await database.transaction(async (sql) => {
      await sql.all('SELECT 1');
      await sql.all('SELECT 2');
    });
    const limits = (
      spy.mock.calls as unknown as readonly (readonly [pg.QueryConfig & { readonly query_timeout: number }])[]
    ).map(([{ text, query_timeout: limitMs }]) => [text, limitMs]);
    assert.deepEqual(limits, [
      ['BEGIN', 6_000],
      ['SELECT 1', 11_000],
      ['SELECT 2', 6_000],
      ['COMMIT', 6_000],
    ]);
  } finally {
    spy.mockRestore();
  }
});
