import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PluginsConfig } from '../../packages/host/src/index.ts';

/** Row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** Connection to PostgreSQL. Disposing it closes it. */
export interface PostgresClient extends AsyncDisposable {
  /** Executes a statement and returns its rows. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

interface Client {
  connect(): Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  end(): Promise<void>;
}

// The root of the repository does not depend on it.
const requireOfStore = createRequire(join(import.meta.dirname, '../../packages/state/postgres/package.json'));
const pg = requireOfStore('pg') as { readonly Client: new (options: { readonly connectionString: string }) => Client };

/** Connects to the database of a URL. */
export async function connectToPostgres(url: string): Promise<PostgresClient> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    query: async (sql, values) => (await client.query(sql, values)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Engines of runs that servers over PostgreSQL may have: one in each process, or one in the database. */
export const engineNames = ['memory', 'pg-boss'] as const;

/** Name of an engine of runs. */
export type EngineName = (typeof engineNames)[number];

/** Returns the engine with this name, if there is one. */
export function engineOf(name: string): EngineName | undefined {
  return engineNames.find((each) => each === name);
}

/** Returns the plugins of servers whose state is in a PostgreSQL database, and with `pg-boss` their engine too. */
export function databasePlugins(url: string, engine: EngineName): PluginsConfig {
  const stateStore = { use: '@ravi/state-postgres', url };
  return engine === 'memory' ? { stateStore } : { stateStore, runEngine: { use: '@ravi/engine-pg-boss', url } };
}
