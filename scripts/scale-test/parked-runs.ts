import type { Database } from './database.ts';

/** Tables with rows of a run, and the column that names the run. */
export type TablesOfRun = readonly (readonly [table: string, key: string])[];

const tablesOfParkedRun: TablesOfRun = [
  ['ravi_runs', 'id'],
  ['ravi_journal', 'run_id'],
  ['ravi_run_events', 'run_id'],
  ['ravi_approvals', 'run_id'],
];
const tableOfChanges: TablesOfRun[number] = ['ravi_approval_changes', 'run_id'];
const copiesPerStatement = 100_000;

/** Principals to which copies belong in turn: the one of the run, whose name ends with 0, and those with the next numbers. */
export interface CopyPrincipals {
  /** Name without its number. */
  readonly name: string;
  readonly count: number;
}

/**
 * Copies a paused run with its request for approval, the copies `from` to `to`. Nothing else may use the database meanwhile. With
 * principals the audit log is copied too.
 * @throws Error if the run waits for no approval
 */
export async function copyParkedRun(
  database: Database,
  runId: string,
  from: number,
  to: number,
  principals?: CopyPrincipals,
): Promise<void> {
  const found = await database.all('SELECT id FROM ravi_approvals WHERE run_id = $1', [runId]);
  if (found.length === 0) throw new Error(`Run ${runId} waits for no approval`);
  const ids = [runId, ...found.map(({ id }) => String(id))] as const;
  const tables = principals === undefined ? tablesOfParkedRun : [...tablesOfParkedRun, tableOfChanges];
  await copyRows(database, ids, tables, from, to, principals);
}

/** Copies the rows of a run, the first of the ids, the copies `from` to `to`. The ids in them get the number of their copy. */
export async function copyRows(
  database: Database,
  ids: readonly [runId: string, ...others: string[]],
  tables: TablesOfRun,
  from: number,
  to: number,
  principals?: CopyPrincipals,
): Promise<void> {
  const ofPrincipal = (text: string): string =>
    principals === undefined
      ? text
      : `replace(${text}, '${principals.name}0', '${principals.name}' || copy % ${principals.count})`;
  const withOwnIds = (column: string): string =>
    ids.reduce((text, id) => `replace(${text}, '${id}', '${id}.' || copy)`, ofPrincipal(column));
  for (let first = from; first <= to; first += copiesPerStatement) {
    const last = Math.min(to, first + copiesPerStatement - 1);
    for (const [table, key] of tables) {
      const columns = await database.all(
        `SELECT column_name AS name, data_type AS type FROM information_schema.columns
         WHERE table_schema = 'ravi' AND table_name = $1 AND is_identity = 'NO' AND is_generated = 'NEVER'`,
        [table],
      );
      // Pages of approvals are ordered by these numbers, which their entries in the audit log get afterwards.
      const newest = `(SELECT max(sequence) FROM ravi_approval_changes) + copy - ${first - 1}`;
      const values = columns.map(({ name, type }) => {
        if (table === 'ravi_approvals' && /sequence$/.test(String(name))) return newest;
        return type === 'text' ? withOwnIds(String(name)) : String(name);
      });
      await database.all(
        `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
         SELECT ${values.join(', ')} FROM ${table}, generate_series(${first}, ${last}) AS copies (copy) WHERE ${key} = '${ids[0]}'`,
      );
    }
  }
  await database.all('VACUUM ANALYZE');
}
