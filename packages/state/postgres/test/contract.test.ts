import { join } from 'node:path';
import type { CompleteStateStore } from '@ravi/kernel';
import { damageStatement, postgresForTests } from '@ravi/state-testing';
import { pluginContract } from '@ravi/testkit/plugin';
import { stateStoreContract } from '@ravi/testkit/state-store';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import plugin, { createPostgresStateStore } from '../src/index.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());

if (server.url === undefined) {
  test.skip(`state store: everything (skipped: ${server.reason})`);
} else {
  applySuites(server.url);
}

function applySuites(url: string): void {
  const schemas = new WeakMap<CompleteStateStore, string>();
  let places = 0;

  async function openStore(schema: string): Promise<CompleteStateStore> {
    const store = await createPostgresStateStore({ url, schema, maxConnections: 4 });
    schemas.set(store, schema);
    return store;
  }

  async function execute(store: CompleteStateStore, sql: string, values: readonly unknown[]): Promise<void> {
    const client = new pg.Client({ connectionString: url, options: `-c search_path=${schemas.get(store)!}` });
    await client.connect();
    await client.query(sql, [...values]);
    await client.end();
  }

  stateStoreContract(test, () => openStore(`contract_${process.pid}_${(places += 1)}`), {
    reopen: (store) => openStore(schemas.get(store)!),
    damage: (store, record) => execute(store, ...damageStatement(record)),
    async passTime(store, ms) {
      const passed = ['started_at', 'heartbeat_at', 'dead_at'].map((column) => `${column} = ${column} - ${ms}`);
      await execute(store, `UPDATE ravi_processes SET ${passed.join(', ')}`, []);
      await execute(store, `UPDATE ravi_leases SET ends_at = ends_at - ${ms}`, []);
    },
    program: (store) => ({ file: join(import.meta.dirname, 'contract-program.ts'), args: [url, schemas.get(store)!] }),
  });
  pluginContract(test, plugin, { url, schema: `plugin_${process.pid}` });
}
