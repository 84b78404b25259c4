import type { FreeRunsRequest, Page, Run } from '@ravi/kernel';
import type { SqlRow, SqlRunner, SqlValue } from './database.ts';
import { invalid } from './errors.ts';
import { isPlain } from './plain-text.ts';
import { processTable } from './process-store.ts';
import { numberIn, readRows, textIn } from './rows.ts';
import { runs } from './run-rows.ts';
import { pageSize } from './select.ts';

/**
 * Returns the condition for rows of runs that no lease of schema 17 or earlier holds. Such a lease ended at a time, and its process had no
 * record.
 */
export function hasNoOldLease(leaseNow: string): string {
  return `(lease_expires_at IS NULL OR lease_expires_at <= ${leaseNow})`;
}

/**
 * Returns one page of the running runs that no process executes: those without an owner, then those of each dead owner. Two indexes
 * have them in this order, so only the rows of the page are read, and one row per owner of runs.
 */
export async function selectFree(
  sql: SqlRunner,
  leaseNow: string,
  { limit, cursor, isBegun = false }: FreeRunsRequest = {},
): Promise<Page<Run>> {
  const size = pageSize(limit);
  const place = cursor === undefined ? { sequence: 0 } : placeOf(cursor);
  const rows: SqlRow[] = [];
  const read = async (condition: string, values: readonly SqlValue[]): Promise<void> => {
    const left = size + 1 - rows.length;
    if (left === 0) return;
    rows.push(
      ...(await sql.all(
        `SELECT * FROM ${runs.table} WHERE status = 'running' AND ${condition} ORDER BY lease_owner, sequence LIMIT $${values.length + 1}`,
        [...values, left],
      )),
    );
  };
  const begun = isBegun ? ' AND epoch > 0' : '';
  if (place.owner === undefined) await read(`lease_owner IS NULL${begun} AND sequence > $1`, [place.sequence]);
  for (const owner of await deadOwners(sql, leaseNow, place.owner)) {
    const after = owner === place.owner ? place.sequence : 0;
    await read(`lease_owner = $1 AND sequence > $2 AND ${hasNoOldLease(leaseNow)}`, [owner, after]);
  }
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return { ...readRows(runs, page), ...(rows.length > size && last !== undefined ? { next: cursorOf(last) } : {}) };
}

// One search of the index per owner, however many runs each has.
async function deadOwners(sql: SqlRunner, leaseNow: string, from: string = ''): Promise<readonly string[]> {
  const next = (after: string): string => `(SELECT min(lease_owner) FROM ${runs.table} WHERE lease_owner ${after})`;
  const rows = await sql.all(
    `WITH RECURSIVE owners (owner) AS (
       SELECT ${next('>= $1')} UNION ALL SELECT ${next('> owners.owner')} FROM owners WHERE owner IS NOT NULL)
     SELECT owner FROM owners WHERE owner IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM ${processTable} WHERE id = owners.owner AND dead_at > ${leaseNow})
     ORDER BY owner`,
    [from],
  );
  return rows.map((row) => textIn(row, 'owner'));
}

interface Place {
  readonly sequence: number;
  readonly owner?: string;
}

function cursorOf(row: SqlRow): string {
  const owner = row['lease_owner'];
  return `${numberIn(row, 'sequence')}${typeof owner === 'string' ? `.${owner}` : ''}`;
}

function placeOf(cursor: string): Place {
  const [, sequence, owner] = /^(\d{1,15})(?:\.(.{1,200}))?$/.exec(cursor) ?? [];
  if (sequence === undefined || !isPlain(cursor)) throw invalid(`"${cursor.slice(0, 64)}" is not a valid cursor`);
  return { sequence: Number(sequence), ...(owner === undefined ? {} : { owner }) };
}
