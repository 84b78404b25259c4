import { KernelError } from '@ravi/kernel';
import type { StateStore } from '@ravi/kernel';
import { openStateStore } from '@ravi/state-kit';
import type { SqlRunner } from '@ravi/state-kit';
import { createPostgresDatabase } from './postgres-database.ts';

/** The default of `schema`. */
export const defaultSchema = 'ravi';

/** The default of `maxConnections`. */
export const defaultMaxConnections = 10;

/** The default of `timeoutMs`. */
export const defaultTimeoutMs = 10_000;

/** Names that need no quotes anywhere. */
export const schemaPattern: RegExp = /^[a-z_][a-z0-9_]{0,62}$/;

/** Options of {@link createPostgresStateStore}. */
export interface PostgresStateStoreOptions {
  /** `postgres://user:password@host:port/database`; the variables `PGHOST`, `PGUSER`… of the environment when absent. */
  readonly url?: string;
  /** The schema that holds the tables, made when it is missing; `ravi` when absent. */
  readonly schema?: string;
  /** 10 when absent. */
  readonly maxConnections?: number;
  /** For how many milliseconds to wait for a connection, and for one statement; 10 000 when absent. */
  readonly timeoutMs?: number;
}

/**
 * A state store in PostgreSQL, which any number of processes on any number of machines may share.
 * @throws KernelError `E_STATE_UNAVAILABLE`, or `E_CONFIG_INVALID` for options that cannot be right, a login that is
 * refused, and a database that is newer than this code
 */
export async function createPostgresStateStore(options: PostgresStateStoreOptions = {}): Promise<StateStore> {
  const { url, schema = defaultSchema, maxConnections = defaultMaxConnections, timeoutMs = defaultTimeoutMs } = options;
  if (!schemaPattern.test(schema)) {
    throw new KernelError('E_CONFIG_INVALID', `schema must match ${schemaPattern.source}, got "${schema}"`);
  }
  const database = createPostgresDatabase({ ...(url === undefined ? {} : { url }), schema, maxConnections, timeoutMs });
  try {
    await database.transaction((sql) => makeSchema(sql, schema), { lock: 'schema' });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return openStateStore(database);
}

// Asked first, because who may use a schema need not be allowed to make one.
async function makeSchema(sql: SqlRunner, schema: string): Promise<void> {
  const found = await sql.all('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (found.length === 0) await sql.all(`CREATE SCHEMA ${schema}`);
}
