import { join } from 'node:path';
import type { PluginEntry } from '@ravi/host';
import { postgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';

const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());

/** State store on which a test runs. */
export interface StoreCase {
  readonly name: string;
  /** Configuration of an empty store; absent for the default of a server. With a `folder`, servers with other data folders share it. */
  plugin(folder?: string): { readonly stateStore?: PluginEntry; readonly runEngine?: PluginEntry };
  /** Declares a test of this store; skipped if the store cannot be started here. */
  readonly test: typeof test.skip;
}

/** A state store in PostgreSQL whose database has the engine of pg-boss too. */
export const pgBossCase: StoreCase & { readonly url: string | undefined } = {
  name: 'PostgreSQL with pg-boss',
  url: postgres.url,
  plugin() {
    const name = crypto.randomUUID().replaceAll('-', '_');
    return {
      stateStore: { use: '@ravi/state-postgres', url: postgres.url, schema: `test_${name}` },
      runEngine: { use: '@ravi/engine-pg-boss', url: postgres.url, schema: `engine_${name}` },
    };
  },
  test: postgres.url === undefined ? test.skip : test,
};

/** The state stores of servers: SQLite, and a PostgreSQL server that the tests start. */
export const storeCases: readonly StoreCase[] = [
  {
    name: 'SQLite',
    plugin: (folder) =>
      folder === undefined ? {} : { stateStore: { use: '@ravi/state-sqlite', file: join(folder, 'state.db') } },
    test,
  },
  {
    name: 'PostgreSQL',
    plugin() {
      const schema = `test_${crypto.randomUUID().replaceAll('-', '_')}`;
      return { stateStore: { use: '@ravi/state-postgres', url: postgres.url, schema } };
    },
    test: postgres.url === undefined ? test.skip : test,
  },
];
