import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CompleteStateStore } from '@ravi/kernel';
import { damageStatement } from '@ravi/state-testing';
import { pluginContract } from '@ravi/testkit/plugin';
import { stateStoreContract } from '@ravi/testkit/state-store';
import { test } from 'vitest';
import plugin, { createSqliteStateStore } from '../src/index.ts';
import { positionalParameters } from '../src/sqlite-database.ts';
import { createPlaces } from './places.ts';

const newPlace = await createPlaces();
const files = new WeakMap<CompleteStateStore, string>();

async function openStore(file: string): Promise<CompleteStateStore> {
  const store = await createSqliteStateStore({ file });
  files.set(store, file);
  return store;
}

stateStoreContract(test, () => openStore(newPlace()), {
  reopen: (store) => openStore(files.get(store)!),
  damage(store, record) {
    using database = new DatabaseSync(files.get(store)!);
    const [sql, values] = damageStatement(record);
    const { text, arrange } = positionalParameters(sql);
    database.prepare(text).run(...arrange(values));
  },
  passTime(store, ms) {
    using database = new DatabaseSync(files.get(store)!);
    const passed = ['started_at', 'heartbeat_at', 'dead_at'].map((column) => `${column} = ${column} - ${ms}`);
    database.exec(`UPDATE ravi_processes SET ${passed.join(', ')}`);
    database.exec(`UPDATE ravi_leases SET ends_at = ends_at - ${ms}`);
  },
  program: (store) => ({ file: join(import.meta.dirname, 'contract-program.ts'), args: [files.get(store)!] }),
});
pluginContract(test, plugin, { file: './state.db' });
