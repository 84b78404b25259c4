import assert from 'node:assert/strict';
import { openStateStore } from '@ravi/state-kit';
import type { SqlValue } from '@ravi/state-kit';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { createPostgresDatabase } from '../src/postgres-database.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const schema = `approval_lists_${process.pid}`;
const approvals = 20_000;
const page = 20;

/** Step of a plan that was executed, as PostgreSQL explains it. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const request = {
  runId: 'run',
  callId: 'call',
  principal: 'ada',
  tool: 'write',
  description: 'Writes a file.',
  args: {},
  toolDigest: 'digest-of-tool',
  argsDigest: 'digest-of-arguments',
  risk: 'high',
  requestedAt: 1,
  expiresAt: 9_000_000_000_000,
} as const;

withServer('no list of approvals reads more of the table than its page', async () => {
  await using database = createPostgresDatabase({ url, schema, maxConnections: 2, timeoutMs: 10_000 });
  const sent: (readonly [sql: string, values: readonly SqlValue[]])[] = [];
  await using client = await connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  const store = await openStateStore({
    ...database,
    all(sql, values = []) {
      sent.push([sql, values]);
      return database.all(sql, values);
    },
  });
  await store.approvals.create({ ...request, id: 'approval-1', sessionId: 'session-1' });
  await client.query(
    `INSERT INTO ravi_approvals (id, principal_key, run_id, session_id, status, expires_at, created_sequence, sequence, request)
     SELECT 'approval-' || copy, 'principal-' || copy % 100, 'run-' || copy, 'session-' || copy, CASE WHEN copy % 2 = 0 THEN 'pending' ELSE 'approved' END,
       expires_at, copy, copy, request
     FROM ravi_approvals, generate_series(2, ${approvals}) AS copies (copy)`,
  );
  await client.query('ANALYZE');

  for (const filter of [
    {},
    { status: 'pending' },
    { status: 'undecided' },
    { principal: 'principal-7' },
    { principal: 'principal-7', status: 'pending' },
    { sessionId: 'session-7' },
    { sessionId: 'session-7', status: 'undecided' },
    { runId: 'run-7' },
    { runId: 'run-7', status: 'undecided' },
  ] as const) {
    for (const cursor of [undefined, String(approvals / 2)]) {
      sent.length = 0;
      await store.approvals.list({ ...filter, isCompletion: false }, { limit: page, ...(cursor && { cursor }) });
      const [[sql, values] = ['', []]] = sent;
      const { rows } = await client.query<{ readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        [...values],
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      assert.ok(plan !== undefined);
      const told = `${JSON.stringify(filter)}\n${JSON.stringify(plan, null, 1)}`;
      assert.ok(rowsRead(plan) <= 5 * page, told);
    }
  }
});

/** Returns the rows of the table that a plan has read. */
function rowsRead(node: PlanNode): number {
  const { Plans: inner = [], 'Relation Name': table } = node;
  const own =
    table === 'ravi_approvals'
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0;
  return inner.reduce((sum, each) => sum + rowsRead(each), own);
}

async function connect(): Promise<Pick<pg.Client, 'query'> & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
