import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newestVersion, openStateStore } from '@ravi/state-kit';
import type { Database } from '@ravi/state-kit';
import { insertStatements, startPostgres, writeSampleState } from '@ravi/state-testing';
import pg from 'pg';
import { createPostgresDatabase } from '../src/postgres-database.ts';

// Run `node test/write-fixture.ts` once for each schema version. The file it writes never changes afterwards.
await using server = await startPostgres();
const client = new pg.Client({ connectionString: server.url, options: '-c search_path=ravi' });
await client.connect();
await client.query('CREATE SCHEMA ravi');

const statements: string[] = [];
const database = createPostgresDatabase({ url: server.url, schema: 'ravi', maxConnections: 1, timeoutMs: 10_000 });
const store = await openStateStore(recorded(database));
await writeSampleState(store);
await store[Symbol.asyncDispose]();

const tables = await client.query<{ name: string; numbered: boolean }>(
  `SELECT t.table_name AS name, bool_or(c.is_identity = 'YES') AS numbered
   FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
   WHERE table_schema = 'ravi' GROUP BY t.table_name ORDER BY t.table_name`,
);
for (const { name, numbered } of tables.rows) {
  const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
  statements.push(...insertStatements(name, rows, numbered ? 'OVERRIDING SYSTEM VALUE ' : ''));
  if (numbered) statements.push(`SELECT setval('${name}_sequence_seq', (SELECT max(sequence) FROM ${name}));`);
}
await client.end();
writeFileSync(join(import.meta.dirname, `fixtures/version-${newestVersion()}.sql`), `${statements.join('\n')}\n`);

/** Records the statements that create the tables. */
function recorded(inner: Database): Database {
  return {
    ...inner,
    transaction: (body, options) =>
      inner.transaction(
        (sql) =>
          body({
            dialect: sql.dialect,
            all(text, values) {
              if (/^(?:CREATE|ALTER|DROP)/.test(text)) statements.push(`${text};`);
              return sql.all(text, values);
            },
          }),
        options,
      ),
  };
}
