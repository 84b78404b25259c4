import { systemClock } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import { createTestBlobs, runTool } from '@ravi/testkit';
import type { RunToolOptions, RunToolReport } from '@ravi/testkit';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqlQuery, openData } from '../src/index.ts';
import { queryPostgres } from '../src/sql/query-postgres.ts';
import type { SqlAnswer } from '../src/sql/sql-question.ts';

const server = await postgresForTests();
const withServer = server.url === undefined ? test.skip : test;
const schema = `sql_${process.pid}`;
let readerUrl = '';
let admin: Client;
let tool: Tool;

beforeAll(async () => {
  if (server.url === undefined) return;
  admin = new Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${schema} LOGIN PASSWORD 'read-only-secret';
    CREATE SCHEMA ${schema} AUTHORIZATION ${schema};
    SET search_path = ${schema};
    CREATE TABLE items (id bigint PRIMARY KEY, name text, price numeric, made timestamptz, data bytea, more jsonb);
    INSERT INTO items VALUES (1, 'Cup', 2.50, '2026-01-02T03:04:05Z', '\\x00ff', '{"a":[1]}'), (9007199254740993, NULL, NULL, NULL, NULL, NULL);
    CREATE SEQUENCE counter;
    CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO items (id) VALUES (77); RETURN 1; END $$;
    ALTER ROLE ${schema} SET search_path = ${schema};
    ALTER TABLE items OWNER TO ${schema}; ALTER SEQUENCE counter OWNER TO ${schema}; ALTER FUNCTION sneaky() OWNER TO ${schema}`);
  const url = new URL(server.url);
  url.username = schema;
  url.password = 'read-only-secret';
  readerUrl = url.href;
  const connections = {
    shop: { postgres: readerUrl, maxRows: 5_000 },
    quick: { postgres: readerUrl, timeoutMs: 300 },
    writable: { postgres: readerUrl, write: true },
    superuser: { postgres: server.url },
    nowhere: { postgres: 'postgres://user:hidden-word@127.0.0.1:1/x' },
  };
  tool = createSqlQuery(openData({ connections, baseDir: '/', clock: systemClock }).connections);
});
afterAll(async () => {
  if (server.url !== undefined) {
    await admin.query(`DROP SCHEMA ${schema} CASCADE; DROP ROLE ${schema}`);
    await admin.end();
  }
  await server[Symbol.asyncDispose]();
});

function query(sql: string, args: JsonObject = {}, options: RunToolOptions = {}): Promise<RunToolReport> {
  return runTool(tool, { connection: 'shop', sql, ...args }, { artifactStore: createTestBlobs(), ...options });
}

function direct(sql: string, isWrite: boolean = false): Promise<SqlAnswer> {
  const limits = { maxRows: 1_000, maxBytes: 1_000_000, timeoutMs: 3_000, memoryMb: 384 };
  return queryPostgres(readerUrl, {
    database: { kind: 'postgres', url: readerUrl },
    sql,
    params: [],
    isWrite,
    ...limits,
  });
}

withServer('rows are values by column, and parameters are values', async () => {
  const sql =
    'SELECT id, name, price, made, data, more, true AS t, 1.5::float8 AS f, ARRAY[1,2] AS list FROM items WHERE name = $1';
  const { result, approvals } = await query(sql, { params: ['Cup'] });
  expect(result.structured).toMatchObject({
    columns: ['id', 'name', 'price', 'made', 'data', 'more', 't', 'f', 'list'],
    rows: [
      { id: 1, name: 'Cup', price: '2.50', data: { base64: 'AP8=' }, more: { a: [1] }, t: true, f: 1.5, list: '{1,2}' },
    ],
    rowCount: 1,
    isComplete: true,
  });
  expect(approvals).toEqual([]);
  expect(
    (await query('SELECT $1::text AS x', { params: ["'; DROP TABLE items; --"] })).result.structured,
  ).toMatchObject({
    rows: [{ x: "'; DROP TABLE items; --" }],
  });
});

withServer('many rows become an artifact with a preview', async () => {
  const artifactStore = createTestBlobs();
  const { result } = await query('SELECT i FROM generate_series(1, 1000000) AS s(i)', { limit: 2 }, { artifactStore });
  expect(result.structured).toMatchObject({ rows: [{ i: 1 }, { i: 2 }], rowCount: 5_000, isComplete: false });
  expect(artifactStore.text('blob_1').trimEnd().split('\n')).toHaveLength(5_000);
});

// The role owns the tables: only the transaction stops it.
withServer.each([
  ['INSERT INTO items (id) VALUES (5)', 'E_SQL_REFUSED'],
  ['DELETE FROM items', 'E_SQL_REFUSED'],
  ['DROP TABLE items', 'E_SQL_REFUSED'],
  ['TRUNCATE items', 'E_SQL_REFUSED'],
  ['CREATE TABLE x (a int)', 'E_SQL_REFUSED'],
  ['WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone', 'E_SQL_REFUSED'],
  ['SELECT sneaky()', 'E_SQL_REFUSED'],
  ["SELECT nextval('counter')", 'E_SQL_REFUSED'],
  ['SELECT * FROM items FOR UPDATE', 'E_SQL_REFUSED'],
  ['DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM items; END $$', 'E_SQL_FAILED'],
  ['DO $$ BEGIN COMMIT; DELETE FROM items; END $$', 'E_SQL_FAILED'],
  ["DO $$ BEGIN PERFORM set_config('transaction_read_only', 'off', true); DELETE FROM items; END $$", 'E_SQL_FAILED'],
  ['SET TRANSACTION READ WRITE', 'E_SQL_FAILED'],
  ['SELECT 1; DELETE FROM items', 'E_SQL_FAILED'],
  ['COMMIT; DELETE FROM items', 'E_SQL_FAILED'],
  ["/* */ COPY items TO PROGRAM 'id'", 'E_SQL_REFUSED'],
  ["/* */ COPY items TO '/tmp/items'", 'E_SQL_REFUSED'],
  ["/* */ COPY items FROM '/etc/passwd'", 'E_SQL_REFUSED'],
  ["SELECT pg_read_file('/etc/passwd')", 'E_SQL_REFUSED'],
  ["SELECT * FROM dblink('host=127.0.0.1', 'DELETE FROM items') AS t(a int)", 'E_SQL_FAILED'],
  ['COPY items TO STDOUT', 'E_SQL_REFUSED'],
  ['CREATE EXTENSION dblink', 'E_SQL_REFUSED'],
  ["SELECT lo_export(1, '/tmp/x')", 'E_SQL_REFUSED'],
  ['SELECT pg_terminate_backend(pg_backend_pid() + 1)', 'E_SQL_REFUSED'],
  ['SELEC 1', 'E_SQL_FAILED'],
  ['SELECT * FROM nothing', 'E_SQL_FAILED'],
  ['SELECT $1', 'E_SQL_FAILED'],
  ['SELECT pg_sleep(60)', 'E_WORK_TIMEOUT'],
  [
    'SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b, generate_series(1, 1000) c',
    'E_WORK_TIMEOUT',
  ],
  ["SELECT 'a;b' AS x -- ; DROP TABLE items", 'ok'],
  ['SHOW server_version', 'ok'],
  ['EXPLAIN SELECT * FROM items', 'ok'],
  ['', 'ok'],
] as const)('%s', async (sql, code) => {
  const error = await direct(sql).then(
    () => undefined,
    (thrown: { readonly code: string; readonly message: string }) => thrown,
  );
  expect(error?.code ?? 'ok', error?.message).toBe(code);
});

withServer('a statement that ends its transaction has no further effect', async () => {
  for (const sql of [
    'COMMIT',
    'ROLLBACK',
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
    'SET default_transaction_read_only = off',
  ])
    await direct(sql).catch(() => undefined);
  const { rows } = await admin.query('SELECT count(*)::int AS n FROM items');
  expect(rows).toEqual([{ n: 2 }]);
});

withServer('a value of a gigabyte ends the process that reads it, not this one', async () => {
  const { result } = await query("SELECT repeat('x', 700000000) AS a");
  expect(['E_WORK_MEMORY', 'E_SQL_FAILED', 'E_WORK_TIMEOUT']).toContain(result.error?.code);
});

withServer('the time limit and the signal end a statement, also at the server', async () => {
  expect((await query('SELECT pg_sleep(60)', { connection: 'quick' })).result.error?.code).toBe('E_WORK_TIMEOUT');
  const controller = new AbortController();
  const call = query("SELECT pg_sleep(3600), 'marked'", {}, { signal: controller.signal });
  const running = async (): Promise<number> => {
    const { rows } = await admin.query<{ readonly n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%marked%' AND state = 'active' AND usename = '${schema}'`,
    );
    return rows[0]?.n ?? 0;
  };
  await expect.poll(running, { timeout: 30_000 }).toBe(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await expect.poll(running, { timeout: 30_000 }).toBe(0);
});

withServer('a role that may run programs of the server is refused', async () => {
  const { result } = await query('SELECT 1', { connection: 'superuser' });
  expect(result.error?.code).toBe('E_SQL_REFUSED');
  expect(result.text).toMatch(/may run programs/);
});

withServer('a server that is not there is an error without the address', async () => {
  const { result } = await query('SELECT 1', { connection: 'nowhere' }, { policy: { maxToolRetries: 0 } });
  expect(result.error?.code).toBe('E_SQL_UNAVAILABLE');
  expect(JSON.stringify(result)).not.toMatch(/hidden-word|127\.0\.0\.1/);
});

withServer('a change needs the argument and approval, and is rolled back after an error', async () => {
  const insert = "INSERT INTO items (id, name) VALUES (3, 'Fork')";
  expect((await query(insert, { connection: 'writable' })).result.error?.code).toBe('E_SQL_REFUSED');
  const denied = await query(insert, { connection: 'writable', write: true }, { approves: false });
  expect(denied.record.status).toBe('denied');
  const added = await query(insert, { connection: 'writable', write: true });
  expect(added.approvals).toMatchObject([{ risk: 'high' }]);
  expect(added.result.structured).toMatchObject({ changed: 1, columns: [] });
  const removed = await query('DELETE FROM items WHERE id = 3 RETURNING name', { connection: 'writable', write: true });
  expect(removed.approvals).toMatchObject([{ risk: 'critical' }]);
  expect(removed.result.structured).toMatchObject({ changed: 1, rows: [{ name: 'Fork' }] });
  await expect(direct('DELETE FROM items; SELECT 1/0', true)).rejects.toMatchObject({ code: 'E_SQL_FAILED' });
  const { rows } = await admin.query('SELECT count(*)::int AS n FROM items');
  expect(rows).toEqual([{ n: 2 }]);
});

withServer.each([
  'SELECT pg_terminate_backend(1)',
  'SELECT PG_CANCEL_BACKEND(1)',
  'SELECT pg_catalog."pg_advisory_lock"(1)',
  'SELECT pg_try_advisory_xact_lock_shared(1)',
  'SELECT pg_advisory_unlock_all()',
])('%s acts on other connections and is refused', async (sql) => {
  await expect(direct(sql)).rejects.toMatchObject({
    code: 'E_SQL_REFUSED',
    message: expect.stringMatching(/acts on other/),
  });
});

withServer('a role that may execute functions which reach files or other servers is refused', async () => {
  const named = `FUNCTION ${schema}.dblink_sample()`;
  for (const [allow, withdraw] of [
    [
      `GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO ${schema}`,
      `REVOKE EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) FROM ${schema}`,
    ],
    [
      `GRANT EXECUTE ON FUNCTION pg_catalog.lo_export(oid, text) TO ${schema}`,
      `REVOKE EXECUTE ON FUNCTION pg_catalog.lo_export(oid, text) FROM ${schema}`,
    ],
    [`CREATE ${named} RETURNS int LANGUAGE sql AS 'SELECT 1'`, `DROP ${named}`],
  ] as const) {
    await admin.query(allow);
    try {
      await expect(direct('SELECT 1')).rejects.toMatchObject({ code: 'E_SQL_REFUSED' });
    } finally {
      await admin.query(withdraw);
    }
  }
  expect((await direct('SELECT 1')).lines).toHaveLength(1);
});
