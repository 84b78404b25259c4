import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';
import { openStateStore } from '@ravi/state-kit';
import type { SqlRunner } from '@ravi/state-kit';
import { createPostgresDatabase } from './postgres-database.ts';

/** Default of `schema`. */
export const defaultSchema = 'ravi';

/** Default of `maxConnections`. */
export const defaultMaxConnections = 10;

/** Default of `timeoutMs`. */
export const defaultTimeoutMs = 10_000;

/** Schema names that need no quotes. */
export const schemaPattern: RegExp = /^[a-z_][a-z0-9_]{0,62}$/;

/** Options of {@link createPostgresStateStore}. */
export interface PostgresStateStoreOptions {
  /** `postgres://user:password@host:port/database`; the environment variables `PGHOST`, `PGUSER`… by default. */
  readonly url?: string;
  /** Schema that holds the tables, created if missing; `ravi` by default. */
  readonly schema?: string;
  /** Maximum connections of this process; 10 by default. */
  readonly maxConnections?: number;
  /** Milliseconds to wait for a connection, and for one statement; 10 000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Creates a state store in PostgreSQL, which any number of processes on any number of machines may share.
 * @throws KernelError `E_STATE_UNAVAILABLE`, which is retryable except for a refused login and a missing database or
 * permission; `E_CONFIG_INVALID` for invalid options and a database that is newer than this code
 */
export async function createPostgresStateStore(options: PostgresStateStoreOptions = {}): Promise<CompleteStateStore> {
  const { url, schema = defaultSchema, maxConnections = defaultMaxConnections, timeoutMs = defaultTimeoutMs } = options;
  if (!schemaPattern.test(schema)) {
    throw new KernelError('E_CONFIG_INVALID', `schema must match ${schemaPattern.source}, got "${schema}"`);
  }
  const database = createPostgresDatabase({ ...(url === undefined ? {} : { url }), schema, maxConnections, timeoutMs });
  try {
    await database.transaction((sql) => ensureSchema(sql, schema), { lock: 'schema' });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  return openStateStore(database);
}

// Checked first, because a user of the schema may lack the permission to create one.
async function ensureSchema(sql: SqlRunner, schema: string): Promise<void> {
  const found = await sql.all('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (found.length === 0) await sql.all(`CREATE SCHEMA ${schema}`);
}
