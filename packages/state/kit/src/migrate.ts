import { KernelError } from '@ravi/kernel';
import { migrations, schemaTable } from './schema.ts';
import type { Database, SqlRunner } from './database.ts';

/**
 * Migrates a database to the newest schema, or to `target`. If several processes start at once, one of them migrates, and the others wait.
 * Indexes of large tables take longer than a statement may.
 * @throws KernelError `E_CONFIG_INVALID` if the database is newer than this code
 */
export async function migrate(database: Database, target: number = newestVersion()): Promise<void> {
  await database.transaction((sql) => bringTo(target, database, sql), { lock: 'schema', isUnlimited: true });
}

/** Returns the schema version that this code writes. */
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
      `The state database has schema version ${current}, this program supports versions up to ${newestVersion()}: ` +
        'upgrade the program or use another database',
    );
  }
  for (const migration of migrations) {
    if (migration.version <= current || migration.version > target) continue;
    for (const statement of migration.statements(dialect)) await sql.all(statement);
    await sql.all(`INSERT INTO ${schemaTable} (version) VALUES ($1)`, [migration.version]);
  }
}
