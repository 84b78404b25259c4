import { readFileSync } from 'node:fs';
import { startPostgres } from '../../packages/state/testing/src/index.ts';
import { connectToPostgres } from '../lib/postgres.ts';
import type { Row } from '../lib/postgres.ts';
import { processorMsOfFamily } from '../load-test/figures.ts';

/** PostgreSQL that counts the statements of its clients. */
export interface Database extends AsyncDisposable {
  readonly url: string;
  /** Returns the rows of a statement, which is not counted. */
  all(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Forgets the statements so far. */
  forgetStatements(): Promise<void>;
  /** Number of statements of the other clients since then. */
  statements(): Promise<number>;
  /** Processor time of all processes of PostgreSQL so far, in milliseconds. */
  processorMs(): number;
}

/** Starts PostgreSQL with `pg_stat_statements`. */
export async function startDatabase(): Promise<Database> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(
    await startPostgres({
      shared_preload_libraries: 'pg_stat_statements',
      // The first change of a page after a checkpoint writes the whole page to the log.
      checkpoint_timeout: '1h',
      max_wal_size: '8GB',
    }),
  );
  const client = stack.use(await connectToPostgres(url));
  await client.query(`SET search_path = ravi, public`);
  await client.query(`SET pg_stat_statements.track = 'none'`);
  await client.query('CREATE EXTENSION pg_stat_statements SCHEMA public');
  const [own] = await client.query('SELECT pg_backend_pid() AS pid');
  const server = parentOf(Number(own?.['pid']));
  const started = stack.move();
  return {
    url,
    all: client.query,
    async forgetStatements() {
      await client.query('SELECT pg_stat_statements_reset()');
    },
    async statements() {
      const [row] = await client.query('SELECT sum(calls)::int AS calls FROM pg_stat_statements');
      return Number(row?.['calls'] ?? 0);
    },
    processorMs: () => processorMsOfFamily(server),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** The process that started the process of a connection. */
function parentOf(pid: number): number {
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(parent);
}
