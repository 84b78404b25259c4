import type { Page, PageRequest, Run } from '@ravi/kernel';
import type { SqlRow, SqlRunner } from './database.ts';
import { invalid } from './errors.ts';
import { numberIn, readRows } from './rows.ts';
import { runs } from './run-rows.ts';
import { pageSize } from './select.ts';

/**
 * Returns one page of the runs that no process executes: released ones first, then by the end of their leases. An index
 * has these columns, so only the rows of the page are read.
 */
export async function selectExpired(
  sql: SqlRunner,
  leaseNow: string,
  { limit, cursor }: PageRequest = {},
): Promise<Page<Run>> {
  const size = pageSize(limit);
  const [since, sequence] = cursor === undefined ? [-1, 0] : placeOf(cursor);
  const rows = await sql.all(
    `SELECT run.*, found.since FROM ${runs.table} run JOIN (
       SELECT sequence, coalesce(lease_expires_at, -1) AS since FROM ${runs.table}
       WHERE status = 'running' AND (lease_expires_at IS NULL OR lease_expires_at <= ${leaseNow})
         AND (coalesce(lease_expires_at, -1), sequence) > ($1, $2)
       ORDER BY 2, 1 LIMIT $3) found ON found.sequence = run.sequence
     ORDER BY found.since, run.sequence`,
    [since, sequence, size + 1],
  );
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return { ...readRows(runs, page), ...(rows.length > size && last !== undefined ? { next: cursorOf(last) } : {}) };
}

function cursorOf(row: SqlRow): string {
  return `${numberIn(row, 'since')}.${numberIn(row, 'sequence')}`;
}

function placeOf(cursor: string): readonly [since: number, sequence: number] {
  const [, since, sequence] = /^(-1|\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (sequence !== undefined) return [Number(since), Number(sequence)];
  throw invalid(`"${cursor.slice(0, 64)}" is not a valid cursor`);
}
