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
const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => String(name));
const rows = tables.flatMap((table) => insertStatements(table, database.prepare(`SELECT * FROM ${table}`).all()));
const statements = [...objects.map(({ sql }) => `${String(sql)};`), ...rows];
writeFileSync(join(import.meta.dirname, `fixtures/version-${newestVersion()}.sql`), `${statements.join('\n')}\n`);
database.close();
rmSync(folder, { recursive: true });
