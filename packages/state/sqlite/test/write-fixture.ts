import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newestVersion } from '@ravi/state-kit';
import { insertStatements, writeSampleState } from '@ravi/state-testing';
import { createSqliteStateStore } from '../src/index.ts';

// Run `node test/write-fixture.ts` once for each schema version. The file it writes never changes afterwards.
const folder = mkdtempSync(join(tmpdir(), 'ravi-fixture-'));
const file = join(folder, 'state.db');
const store = await createSqliteStateStore({ file });
await writeSampleState(store);
await store[Symbol.asyncDispose]();

const database = new DatabaseSync(file);
const objects = database
  .prepare(
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name <> 'ravi_machine_clock' ORDER BY rowid",
  )
  .all();
// A virtual table makes its own tables, and triggers fill it.
const ownObjects = objects.filter(({ name }) => !String(name).startsWith('ravi_memory_words_') || isTrigger(name));
const tables = ownObjects
  .filter(({ type, sql }) => type === 'table' && !String(sql).startsWith('CREATE VIRTUAL'))
  .map(({ name }) => String(name));
const rows = tables.flatMap((table) => insertStatements(table, database.prepare(`SELECT * FROM ${table}`).all()));
const statements = [...ownObjects.map(({ sql }) => `${String(sql)};`), ...rows];
writeFileSync(join(import.meta.dirname, `fixtures/version-${newestVersion()}.sql`), `${statements.join('\n')}\n`);
database.close();
rmSync(folder, { recursive: true });

function isTrigger(name: unknown): boolean {
  return objects.some((object) => object.name === name && object.type === 'trigger');
}
