import { Client, DatabaseError } from 'pg';
import type { QueryResult } from 'pg';
import Cursor from 'pg-cursor';
import { WorkError } from '@ravi/tools-kit/bounded';
import { collectRows } from './collect-rows.ts';
import type { RowCollector } from './collect-rows.ts';
import type { SqlAnswer, SqlQuestion } from './sql-question.ts';

const connectMs = 10_000;
const batchRows = 200;

/** Roles with which a statement that only reads can still run programs and write files of the server. */
const powerfulRole = `SELECT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = session_user)
  OR pg_catalog.current_setting('is_superuser') = 'on'
  OR EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname IN
    ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
    AND pg_catalog.pg_has_role(session_user, oid, 'member'))
  OR EXISTS (SELECT 1 FROM pg_catalog.pg_proc WHERE
    (proname IN ('pg_read_file', 'pg_read_binary_file', 'lo_export', 'lo_import') OR proname LIKE 'dblink%')
    AND pg_catalog.has_function_privilege(session_user, oid, 'execute')) AS powerful`;

/**
 * Functions with effects outside a read-only transaction that every role may execute. A guard in addition to the rights of the role, not
 * instead of them: a function that the database defines can call these under another name.
 */
const effectPattern = /pg_(?:terminate_backend|cancel_backend|(?:try_)?advisory_(?:xact_)?(?:un)?lock)/i;

/**
 * Runs one statement on PostgreSQL in a transaction of its own. PostgreSQL itself refuses changes: the transaction is read-only, and cannot become
 * another one after its first query.
 * @throws WorkError `E_SQL_UNAVAILABLE`, `E_SQL_REFUSED`, `E_SQL_FAILED`, `E_WORK_TIMEOUT`
 */
export async function queryPostgres(url: string, question: SqlQuestion): Promise<SqlAnswer> {
  const { isWrite, timeoutMs } = question;
  const client = await connect(url);
  try {
    await client.query(`SET statement_timeout = ${timeoutMs}`);
    await client.query(`SET lock_timeout = ${timeoutMs}`);
    // Ends a statement whose caller is gone. Not every system has it.
    await client.query('SET client_connection_check_interval = 1000').catch(() => undefined);
    if (!isWrite) await client.query('SET default_transaction_read_only = on');
    await client.query(isWrite ? 'BEGIN' : 'BEGIN READ ONLY');
    await checkRole(client);
    const answer = await run(client, question);
    await client.query(isWrite ? 'COMMIT' : 'ROLLBACK');
    return answer;
  } catch (error) {
    throw readError(error, question);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    application_name: 'ravi-sql-query',
  });
  // An error after the connection was lost reaches the query too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    throw new WorkError(
      'E_SQL_UNAVAILABLE',
      `PostgreSQL could not be reached${typeof code === 'string' ? `: ${code}` : ''}`,
      { retryable: true },
    );
  }
}

async function checkRole(client: Client): Promise<void> {
  const { rows } = await client.query<{ readonly powerful: boolean }>(powerfulRole);
  if (rows[0]?.powerful === false) return;
  throw new WorkError(
    'E_SQL_REFUSED',
    'The role of the connection may run programs or reach files of the server. Use a role that only may read what the tool should read',
  );
}

async function run(client: Client, question: SqlQuestion): Promise<SqlAnswer> {
  const config = { rowMode: 'array' as const, types: { getTypeParser } };
  if (/^\s*copy\b/i.test(question.sql))
    throw new WorkError('E_SQL_REFUSED', 'COPY moves files, and returns no rows. Use SELECT');
  const effect = question.isWrite ? undefined : effectPattern.exec(question.sql)?.[0];
  if (effect !== undefined) {
    throw new WorkError('E_SQL_REFUSED', `The connection only reads, and ${effect} acts on other connections`);
  }
  const cursor = client.query(new Cursor<readonly unknown[]>(question.sql, [...question.params], config));
  let rows: RowCollector | undefined;
  let result: QueryResult | undefined;
  for (;;) {
    const [batch, received] = await readBatch(cursor);
    // The read after the last row has none.
    result = received ?? result;
    rows ??= collectRows(
      (result?.fields ?? []).map(({ name }) => name),
      question,
    );
    let isComplete = true;
    for (const row of batch) isComplete = rows.add(row) && isComplete;
    if (batch.length > 0 && (isComplete || question.isWrite)) continue;
    await cursor.close();
    const { columns, lines } = rows;
    const command = result?.command ?? '';
    const isChange = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command);
    return { columns, lines, isComplete, ...(isChange ? { changed: result?.rowCount ?? 0 } : {}) };
  }
}

function readBatch(
  cursor: Cursor<readonly unknown[]>,
): Promise<[readonly (readonly unknown[])[], QueryResult | undefined]> {
  return new Promise((resolve, reject) => {
    cursor.read(batchRows, (error: Error | undefined, batch, result) => {
      if (error) reject(error);
      else resolve([batch, result]);
    });
  });
}

const asNumber = (text: string): number | string => {
  const number = Number(text);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text;
};
const asBytes = (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex');
const asJson = (text: string): unknown => JSON.parse(text) as unknown;
/** Parsers by the oid of a type. Everything else stays text as PostgreSQL writes it, so that no time zone and no digit is lost. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  [17, asBytes],
  ...[20, 21, 23, 26, 700, 701].map((oid): [number, (text: string) => unknown] => [oid, asNumber]),
  [114, asJson],
  [3802, asJson],
]);

function getTypeParser(oid: number): (text: string) => unknown {
  return parsers.get(oid) ?? ((text) => text);
}

function readError(error: unknown, { isWrite, timeoutMs }: SqlQuestion): Error {
  if (!(error instanceof DatabaseError)) {
    if (error instanceof WorkError) return error;
    return new WorkError('E_SQL_FAILED', `PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { code, message, hint, position } = error;
  const text = `PostgreSQL: ${message}${position === undefined ? '' : ` at character ${position}`}${hint === undefined ? '' : `. ${hint}`}`;
  if (code === '57014') return new WorkError('E_WORK_TIMEOUT', `The statement took more than ${timeoutMs} ms`);
  // read_only_sql_transaction, insufficient_privilege
  if (code === '25006' || code === '42501') {
    return new WorkError('E_SQL_REFUSED', isWrite ? text : `The connection only reads. ${text}`);
  }
  return new WorkError('E_SQL_FAILED', text);
}
