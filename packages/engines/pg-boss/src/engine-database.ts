import { createHash } from 'node:crypto';
import { KernelError, isKernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { engineDisposed, engineUnavailable } from '@ravi/engine-kit';
import pg from 'pg';
import type { Db } from 'pg-boss';

/** Options of {@link createEngineDatabase}. */
export interface EngineDatabaseOptions {
  /** `postgres://user:password@host:port/database`; the environment variables `PGHOST`, `PGUSER`… by default. */
  readonly url?: string;
  readonly maxConnections: number;
  /** Milliseconds to wait for a connection, and for one statement. */
  readonly timeoutMs: number;
  readonly logger: Logger;
}

/** Pool of connections for the engine, in the form that pg-boss takes. Its errors are those of PostgreSQL, which pg-boss reads. */
export interface EngineDatabase extends Db, AsyncDisposable {
  /** Runs `body` in one transaction. With `lock`, those of the same name run one at a time, across all processes. */
  transaction<Result>(body: (db: Db) => Promise<Result>, lock?: string): Promise<Result>;
}

// Classes of SQLSTATE that mean a mistake in a statement, https://www.postgresql.org/docs/current/errcodes-appendix.html
const bug = /^(?:22|23|42)/;

/** Creates a pool without connecting. */
export function createEngineDatabase({
  url,
  maxConnections,
  timeoutMs,
  logger,
}: EngineDatabaseOptions): EngineDatabase {
  const pool = new pg.Pool({
    ...(url === undefined ? {} : { connectionString: url }),
    application_name: 'ravi-engine',
    max: maxConnections,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + 1_000,
    idle_in_transaction_session_timeout: timeoutMs,
    allowExitOnIdle: true,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks; a busy one also fails its statement.
  pool.on('error', (error) => logger.debug('an idle connection of the engine ended', { error: error.message }));
  pool.on('connect', (client) => client.on('error', () => {}));
  let ended: Promise<void> | undefined;

  const runnerOf = (client: Pick<pg.Pool, 'query'>): Db => ({
    async executeSql(text, values) {
      if (ended !== undefined) throw engineDisposed('engine-pg-boss');
      return client.query(text, values);
    },
  });

  return {
    ...runnerOf(pool),
    async transaction(body, lock) {
      const client = await pool.connect();
      const db = runnerOf(client);
      try {
        await db.executeSql(lock === undefined ? 'BEGIN' : `BEGIN; SELECT pg_advisory_xact_lock(${lockNumber(lock)})`);
        const result = await body(db);
        await db.executeSql('COMMIT');
        return result;
      } catch (error) {
        // A connection that cannot roll back is closed below, which also rolls back.
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      } finally {
        client.release(client.getTransactionStatus() !== 'I');
      }
    },
    [Symbol.asyncDispose]: () => (ended ??= pool.end()),
  };
}

/** Converts an error of PostgreSQL or of the connection to one of the port. The words of the database are in its cause only. */
export function engineError(error: unknown): unknown {
  if (isKernelError(error) || error instanceof TypeError) return error;
  if (error instanceof pg.DatabaseError && bug.test(error.code ?? '')) {
    return new KernelError('E_INTERNAL', 'The database of the engine rejected a statement', { cause: error });
  }
  return engineUnavailable('The database of the engine does not respond', error);
}

function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE();
}
