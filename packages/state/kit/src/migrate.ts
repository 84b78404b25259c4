import { KernelError } from '@ravi/kernel';
import { migrations, schemaTable } from './schema.ts';
import type { Database, SqlRunner } from './database.ts';

/**
 * Brings a database to the newest schema, or to `target`; of several processes that start at once one does it.
 * @throws KernelError `E_CONFIG_INVALID` when the database is newer than this code
 */
export async function migrate(database: Database, target: number = newestVersion()): Promise<void> {
  await database.transaction((sql) => bringTo(target, database, sql), { lock: 'schema' });
}

/** The version of the schema that this code writes. */
export function newestVersion(): number {
  return Math.max(...migrations.map(({ version }) => version));
}

async function bringTo(target: number, { dialect }: Database, sql: SqlRunner): Promise<void> {
  await sql.all(`CREATE TABLE IF NOT EXISTS ${schemaTable} (version BIGINT NOT NULL PRIMARY KEY)`);
  const [row] = await sql.all(`SELECT coalesce(max(version), 0) AS version FROM ${schemaTable}`);
  const current = Number(row?.['version']);
  if (current > newestVersion()) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The state has schema version ${current}, this program knows versions up to ${newestVersion()}: ` +
        'start a newer version of the program, or point it at other state',
    );
  }
  for (const migration of migrations) {
    if (migration.version <= current || migration.version > target) continue;
    for (const statement of migration.statements(dialect)) await sql.all(statement);
    await sql.all(`INSERT INTO ${schemaTable} (version) VALUES ($1)`, [migration.version]);
  }
}
