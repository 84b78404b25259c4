import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { createTestBlobs, runTool } from '@ravi/testkit';
import type { RunToolOptions, RunToolReport } from '@ravi/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkError } from '@ravi/tools-kit/bounded';
import { createSqlQuery, openData } from '../src/index.ts';
import { querySqlite } from '../src/sql/query-sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-sql-'));
const path = join(folder, 'shop.db');
let tool: Tool;

beforeAll(() => {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, price REAL, data BLOB);
    INSERT INTO items VALUES (1, 'Cup', 2.5, x'00ff'), (2, 'Plate', 4, NULL), (9007199254740993, 'Big', 1e999, NULL);
    CREATE TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n`);
  database.close();
  new DatabaseSync(join(folder, 'other.db')).exec('CREATE TABLE secrets AS SELECT 42 AS secret');
  writeFileSync(join(folder, 'text.db'), 'This is not a database. '.repeat(100));
  mkdirSync(join(folder, 'a-folder'));
  const connections = {
    shop: { sqlite: 'shop.db', timeoutMs: 20_000, maxRows: 4_000 },
    writable: { sqlite: 'shop.db', write: true, description: 'The shop' },
    missing: { sqlite: 'missing.db' },
    text: { sqlite: 'text.db' },
    folder: { sqlite: 'a-folder' },
    quick: { sqlite: 'shop.db', timeoutMs: 300 },
  };
  tool = createSqlQuery(openData({ connections, baseDir: folder, clock: systemClock }).connections);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function query(sql: string, args: JsonObject = {}, options: RunToolOptions = {}): Promise<RunToolReport> {
  return runTool(tool, { connection: 'shop', sql, ...args }, { artifactStore: createTestBlobs(), ...options });
}

test('rows are values by column', async () => {
  const { result, approvals } = await query('SELECT *, name FROM items WHERE price > ? OR name = ? ORDER BY id', {
    params: [2, 'x'],
  });
  expect(result.structured).toEqual({
    columns: ['id', 'name', 'price', 'data', 'name_2'],
    rows: [
      { id: 1, name: 'Cup', price: 2.5, data: { base64: 'AP8=' }, name_2: 'Cup' },
      { id: 2, name: 'Plate', price: 4, data: null, name_2: 'Plate' },
      { id: '9007199254740993', name: 'Big', price: 'Infinity', data: null, name_2: 'Big' },
    ],
    rowCount: 3,
    isComplete: true,
  });
  expect(approvals).toEqual([]);
});

test('many rows become an artifact with a preview', async () => {
  const artifactStore = createTestBlobs();
  const { result } = await query('SELECT i FROM numbers', { limit: 3 }, { artifactStore });
  expect(result.structured).toMatchObject({ rows: [{ i: 1 }, { i: 2 }, { i: 3 }], rowCount: 4_000, isComplete: false });
  expect(result.text).toMatch(
    /4000 rows, and the database has more\. The first 3 are shown; all that were read are artifact blob_1\./,
  );
  expect(artifactStore.text('blob_1').trimEnd().split('\n')).toHaveLength(4_000);
});

test('the schema can be read', async () => {
  const { result } = await query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  expect(result.structured).toMatchObject({ rows: [{ name: 'items' }, { name: 'numbers' }] });
  expect((await query('PRAGMA table_info(items)')).result.structured).toMatchObject({ rowCount: 4 });
  expect((await query("SELECT name FROM pragma_table_info('items')")).result.structured).toMatchObject({ rowCount: 4 });
  expect((await query("SELECT json_extract('{\"a\":7}', '$.a') AS a; -- the end")).result.structured).toMatchObject({
    rows: [{ a: 7 }],
  });
});

test.each([
  ["INSERT INTO items (name) VALUES ('x')", 'E_SQL_REFUSED'],
  ['UPDATE items SET price = 0', 'E_SQL_REFUSED'],
  ['DELETE FROM items', 'E_SQL_REFUSED'],
  ['DROP TABLE items', 'E_SQL_REFUSED'],
  ['CREATE TABLE x (a)', 'E_SQL_REFUSED'],
  ['CREATE TEMP TABLE x (a)', 'E_SQL_REFUSED'],
  ['WITH a AS (SELECT 1) DELETE FROM items', 'E_SQL_REFUSED'],
  ["INSERT INTO items (name) VALUES ('x') RETURNING id", 'E_SQL_REFUSED'],
  [`ATTACH '${folder}/other.db' AS other`, 'E_SQL_REFUSED'],
  [`ATTACH '${folder}/new.db' AS other`, 'E_SQL_REFUSED'],
  [`VACUUM INTO '${folder}/copy.db'`, 'E_SQL_REFUSED'],
  ['VACUUM', 'E_SQL_REFUSED'],
  ['PRAGMA query_only = OFF', 'E_SQL_REFUSED'],
  ['PRAGMA writable_schema = ON', 'E_SQL_REFUSED'],
  ['PRAGMA database_list', 'E_SQL_REFUSED'],
  ['SELECT * FROM pragma_database_list', 'E_SQL_REFUSED'],
  ['PRAGMA hard_heap_limit = 0', 'E_SQL_REFUSED'],
  ["SELECT load_extension('/tmp/x.so')", 'E_SQL_REFUSED'],
  ['BEGIN', 'E_SQL_REFUSED'],
  ['SELECT 1; DELETE FROM items', 'E_SQL_REFUSED'],
  ['SELECT 1; SELECT 2', 'E_SQL_REFUSED'],
  ['/* a */ SELECT 1; /* b */ -- c\n DELETE FROM items', 'E_SQL_REFUSED'],
  ["SELECT readfile('/etc/passwd')", 'E_SQL_FAILED'],
  ["SELECT writefile('/tmp/x', 'x')", 'E_SQL_FAILED'],
  ['SELEC 1', 'E_SQL_FAILED'],
  ['SELECT * FROM nothing', 'E_SQL_FAILED'],
  ['SELECT ?', 'ok'],
  ["SELECT 'a;b' AS x -- ; DROP TABLE items", 'ok'],
  ['-- only a comment', 'E_SQL_FAILED'],
] as const)('%s', (sql, code) => {
  // The process that runs statements calls this function. Starting one for each takes the time of a hundred of these.
  const limits = { isWrite: false, maxRows: 10, maxBytes: 1_000_000, timeoutMs: 1, memoryMb: 384 };
  const error = ((): unknown => {
    try {
      return void querySqlite(path, {
        database: { kind: 'sqlite', path },
        sql,
        params: sql === 'SELECT ?' ? [1] : [],
        ...limits,
      });
    } catch (thrown) {
      return thrown;
    }
  })() as WorkError | undefined;
  expect(error?.code ?? 'ok').toBe(code);
  expect(error?.message ?? '').not.toContain(folder);
});

test.each(['DELETE FROM items', 'SELECT 1; DELETE FROM items', 'PRAGMA query_only = OFF'])(
  'the tool refuses %s',
  async (sql) => {
    expect((await query(sql)).result.error?.code).toBe('E_SQL_REFUSED');
  },
);

test('values and rows that are too large end as errors', async () => {
  expect((await query('SELECT zeroblob(1000000000)')).result.text).toMatch(/too big/);
  const many = 'SELECT hex(zeroblob(3000000)) AS a FROM numbers';
  const { result } = await query(many, { limit: 1 });
  expect(result.structured).toMatchObject({ rows: [], isComplete: false });
  expect((result.structured as { readonly rowCount: number }).rowCount).toBeLessThan(12);
});

test('nothing has changed after all of them, and no file is new', async () => {
  expect((await query('SELECT count(*) AS n FROM items')).result.structured).toMatchObject({ rows: [{ n: 3 }] });
  expect(
    readdirSync(folder)
      .filter((name) => !/^shop\.db/.test(name))
      .toSorted(),
  ).toEqual(['a-folder', 'other.db', 'text.db']);
});

test('a statement without an end is ended at the time limit, and by its signal', async () => {
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
  expect((await query(endless, { connection: 'quick' })).result.error?.code).toBe('E_WORK_TIMEOUT');
  const product = 'SELECT count(*) FROM numbers a, numbers b, numbers c, numbers d';
  expect((await query(product, { connection: 'quick' })).result.error?.code).toBe('E_WORK_TIMEOUT');
  await expect(query(endless, {}, { signal: AbortSignal.timeout(700) })).rejects.toMatchObject({ code: 'E_CANCELLED' });
});

test.each([
  ['missing', 'E_SQL_UNAVAILABLE'],
  ['text', 'E_SQL_UNAVAILABLE'],
  ['folder', 'E_SQL_UNAVAILABLE'],
  ['nothing', 'E_ARGUMENTS_INVALID'],
] as const)('the connection %s is %s', async (connection, code) => {
  const { result } = await query('SELECT 1', { connection });
  expect(result.error?.code).toBe(code);
  expect(JSON.stringify(result)).not.toContain(folder);
  expect(existsSync(join(folder, 'missing.db'))).toBe(false);
});

test.each([
  {},
  { connection: 'shop' },
  { connection: 'shop', sql: 5 },
  { connection: 'shop', sql: ' ' },
  { connection: 'shop', sql: 'x'.repeat(50_001) },
  { connection: 'shop', sql: 'SELECT 1', params: [{}] },
  { connection: 'shop', sql: 'SELECT 1', limit: 0 },
  { connection: '../shop', sql: 'SELECT 1' },
])('wrong arguments are refused: %#', async (args) => {
  expect((await runTool(tool, args as JsonObject)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
});

test('a change needs a connection that allows it, the argument, and approval by what it does', async () => {
  const insert = "INSERT INTO items (id, name) VALUES (3, 'Fork')";
  expect((await query(insert, { write: true })).result.error?.code).toBe('E_SQL_REFUSED');
  expect((await query(insert, { connection: 'writable' })).result.error?.code).toBe('E_SQL_REFUSED');
  const denied = await query(insert, { connection: 'writable', write: true }, { approves: false });
  expect(denied.record.status).toBe('denied');
  const added = await query(insert, { connection: 'writable', write: true });
  expect(added.approvals).toMatchObject([{ risk: 'high', summary: `Change the database writable: ${insert}` }]);
  expect(added.result.structured).toMatchObject({ columns: [], changed: 1 });
  for (const sql of [
    'DELETE FROM items WHERE id = 3',
    'UPDATE items SET name = name',
    'REPLACE INTO items (id) VALUES (3)',
    '/* INSERT INTO */ DELETE FROM items WHERE 0',
    'INSERT INTO items (id) VALUES (1) ON CONFLICT DO NOTHING',
  ]) {
    const report = await query(sql, { connection: 'writable', write: true });
    expect(report.approvals, sql).toMatchObject([{ risk: 'critical' }]);
    expect(report.record.status, sql).toBe('ok');
  }
  for (const sql of [
    `ATTACH '${folder}/other.db' AS o`,
    `VACUUM INTO '${folder}/copy.db'`,
    'PRAGMA journal_mode = DELETE',
  ])
    expect((await query(sql, { connection: 'writable', write: true })).result.error?.code, sql).toBe('E_SQL_REFUSED');
  const returned = await query("INSERT INTO items (id, name) VALUES (4, 'Knife') RETURNING id", {
    connection: 'writable',
    write: true,
  });
  expect(returned.result.structured).toMatchObject({ rows: [{ id: 4 }] });
});

test('several calls at once have their own rows', async () => {
  const reports = await Promise.all(
    Array.from({ length: 3 }, (_value, index) => query('SELECT ? AS n', { params: [index] })),
  );
  expect(reports.map(({ result }) => result.structured)).toMatchObject(
    reports.map((_report, index) => ({ rows: [{ n: index }] })),
  );
});

test.each([
  [{ a: {} }, /connections\.a needs one of/],
  [{ a: { sqlite: 'x', postgres: 'postgres://x' } }, /connections\.a needs one of/],
  [{ a: { postgres: 'mysql://x' } }, /does not begin with postgres/],
])('the configuration %j is refused', (connections, message) => {
  expect(() => openData({ connections, baseDir: folder, clock: systemClock })).toThrowError(message);
});

test('a link is followed: the operator chose the file', async () => {
  symlinkSync('shop.db', join(folder, 'link.db'));
  const { connections } = openData({
    connections: { link: { sqlite: 'link.db' } },
    baseDir: folder,
    clock: systemClock,
  });
  const { result } = await runTool(createSqlQuery(connections), { connection: 'link', sql: 'SELECT 1 AS one' });
  expect(result.structured).toMatchObject({ rows: [{ one: 1 }] });
});

test('the summary of a long statement begins with the number of characters that it leaves out', () => {
  const summary = (sql: string): string | undefined =>
    tool.classifyRisk?.({ connection: 'writable', sql, write: true }).summary;
  const long = `DELETE FROM items WHERE name = '${'x'.repeat(400)}' OR 1 = 1`;
  expect(summary(long)).toMatch(
    /^\[42 characters of the statement are not shown\] Change the database writable: DELETE/,
  );
  expect(summary('DELETE FROM items')).toBe('Change the database writable: DELETE FROM items');
});
