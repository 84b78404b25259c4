import type { Database } from './database.ts';

/** Tables with rows of a run, and the column that names the run. */
export type TablesOfRun = readonly (readonly [table: string, key: string])[];

const tablesOfParkedRun: TablesOfRun = [
  ['ravi_runs', 'id'],
  ['ravi_journal', 'run_id'],
  ['ravi_run_events', 'run_id'],
  ['ravi_approvals', 'run_id'],
];

/**
 * Copies a paused run with its request for approval, the copies `from` to `to`. Nothing else may use the database meanwhile.
 * @throws Error if the run waits for no approval
 */
export async function copyParkedRun(database: Database, runId: string, from: number, to: number): Promise<void> {
  const ids = await database.all('SELECT id FROM ravi_approvals WHERE run_id = $1', [runId]);
  if (ids.length === 0) throw new Error(`Run ${runId} waits for no approval`);
  await copyRows(database, [runId, ...ids.map(({ id }) => String(id))], tablesOfParkedRun, from, to);
}

/** Copies the rows of a run, the first of the ids, the copies `from` to `to`. The ids in them get the number of their copy. */
export async function copyRows(
  database: Database,
  ids: readonly [runId: string, ...others: string[]],
  tables: TablesOfRun,
  from: number,
  to: number,
): Promise<void> {
  const withOwnIds = (column: string): string =>
    ids.reduce((text, id) => `replace(${text}, '${id}', '${id}.' || copy)`, column);
  for (const [table, key] of tables) {
    const columns = await database.all(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
       WHERE table_schema = 'ravi' AND table_name = $1 AND is_identity = 'NO' AND is_generated = 'NEVER'`,
      [table],
    );
    // Pages of approvals are ordered by these numbers.
    const newest = table === 'ravi_approvals' ? '(SELECT max(sequence) FROM ravi_approval_changes) + copy' : '';
    const values = columns.map(({ name, type }) => {
      if (newest !== '' && /sequence$/.test(String(name))) return newest;
      return type === 'text' ? withOwnIds(String(name)) : String(name);
    });
    await database.all(
      `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
       SELECT ${values.join(', ')} FROM ${table}, generate_series(${from}, ${to}) AS copies (copy) WHERE ${key} = '${ids[0]}'`,
    );
  }
  await database.all('VACUUM ANALYZE');
}
