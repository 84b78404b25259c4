import type { StateRecord } from '@ravi/testkit/state-store';

/** Statement and its parameters, which are written `$1`, `$2`…. */
export type Statement = readonly [sql: string, values: readonly (string | number)[]];

const broken = '{"id": "';

/** Returns the statement that makes a record unreadable. */
export function damageStatement(record: StateRecord): Statement {
  switch (record.store) {
    case 'runs':
    case 'jobs':
      return [`UPDATE ravi_${record.store} SET record = $1 WHERE id = $2`, [broken, record.id]];
    case 'approvals':
      return ['UPDATE ravi_approvals SET request = $1 WHERE id = $2', [broken, record.id]];
    case 'journal':
      return [
        'UPDATE ravi_journal SET record = $1 WHERE run_id = $2 AND slot = $3',
        [broken, record.runId, `position ${record.position}`],
      ];
    case 'events':
      return [
        'UPDATE ravi_run_events SET record = $1 WHERE run_id = $2 AND epoch = $3 AND n = $4',
        [broken, record.runId, record.epoch, record.n],
      ];
    case 'history':
      return [
        'UPDATE ravi_turns SET record = $1 WHERE session_id = $2 AND number = $3',
        [broken, record.sessionId, record.number],
      ];
  }
}

/** Returns statements that insert the rows again; `prefix` goes before `VALUES`. */
export function insertStatements(
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  prefix = '',
): readonly string[] {
  return rows.map((row) => {
    const values = Object.values(row).map(literal).join(', ');
    return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) ${prefix}VALUES (${values});`;
  });
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new TypeError(`A column holds ${typeof value}`);
}
