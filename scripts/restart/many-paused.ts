import { DatabaseSync } from 'node:sqlite';

/** Tables with rows of a run, and whether a column numbers their rows. */
const tables: readonly (readonly [name: string, numbered: boolean])[] = [
  ['ravi_runs', true],
  ['ravi_journal', true],
  ['ravi_run_events', false],
  ['ravi_approvals', false],
];

/** Runs to copy: a run and those below it, with their approvals. Each copy gets ids of its own. */
export interface Template {
  /** Ids that differ in each copy. */
  readonly ids: readonly string[];
  readonly runIds: readonly string[];
}

/** Returns the id of something in copy number `copy` of a template. */
export function idOfCopy(id: string, copy: number): string {
  return `${id}.${copy}`;
}

/** Copies paused runs with everything that belongs to them, in a SQLite file that no server has open. */
export function copyPausedRuns(file: string, template: Template, copies: number): void {
  using database = new DatabaseSync(file);
  const numbers = `WITH RECURSIVE copies (copy) AS (SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy < ${copies})`;
  const withOwnIds = (column: string): string =>
    template.ids.reduce((text, id) => `replace(${text}, '${id}', '${id}.' || copy)`, column);
  database.exec('BEGIN');
  for (const [table, numbered] of tables) {
    const columns = database.prepare(`PRAGMA table_info(${table})`).all() as {
      readonly name: string;
      readonly type: string;
    }[];
    const copied = columns.filter(({ name }) => !(numbered && name === 'sequence'));
    // Pages of approvals are ordered by these numbers.
    const newest = table === 'ravi_approvals' ? '(SELECT max(sequence) FROM ravi_approval_changes) + copy' : '';
    const values = copied.map(({ name, type }) => {
      if (newest !== '' && /sequence$/.test(name)) return newest;
      return type === 'TEXT' ? withOwnIds(name) : name;
    });
    const key = table === 'ravi_runs' ? 'id' : 'run_id';
    const order = numbered ? 'ORDER BY copy, sequence' : '';
    database.exec(
      `${numbers} INSERT INTO ${table} (${copied.map(({ name }) => name).join(', ')})
       SELECT ${values.join(', ')} FROM ${table}, copies
       WHERE ${key} IN (${template.runIds.map((id) => `'${id}'`).join(', ')}) ${order}`,
    );
  }
  database.exec('COMMIT');
}
