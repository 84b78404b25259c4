import { createHash } from 'node:crypto';
import type { SqlRunner } from '@ravi/state-kit';

/** Table whose column `sequence` is an identity column. */
export interface NumberedTable {
  readonly schema: string;
  readonly table: string;
}

const lockNumbers = 2 ** 31;

/**
 * Returns a statement that announces insertions: until the transaction ends, it holds a shared advisory lock whose second key is the
 * last number that was given before. Every number that the transaction inserts is above it. It never waits.
 */
export function announcement(table: NumberedTable): string {
  return `SELECT pg_advisory_xact_lock_shared(${lockClass(table)}, ((${lastNumber(table)}) % ${lockNumbers})::int)`;
}

/**
 * Returns a number up to which every row is visible or was rolled back. The last number is read before the announcements: a
 * transaction whose announcement comes too late to be seen takes its numbers later too, so they are above the last number.
 */
export async function settledNumber(sql: SqlRunner, table: NumberedTable, known = -1): Promise<number> {
  const [last] = await sql.all(`SELECT (${lastNumber(table)}) AS number`);
  const number = Number(last?.['number']);
  if (number <= known) return number;
  const announced = await sql.all(
    `SELECT objid::bigint AS number FROM pg_locks
     WHERE locktype = 'advisory' AND classid = ${lockClass(table)}::oid AND objsubid = 2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  // A lock has the lowest bits of a number that is not far from the last one. One announced meanwhile may be above it, and counts as none.
  const distances = announced.map((row) => (number - Number(row['number']) + lockNumbers) % lockNumbers);
  return number - Math.max(0, ...distances.filter((distance) => distance < lockNumbers / 2));
}

// Numbers are given outside of transactions. A new sequence has the value 1 and has not given it yet.
function lastNumber({ schema, table }: NumberedTable): string {
  return `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${schema}.${table}_sequence_seq`;
}

function lockClass({ schema, table }: NumberedTable): number {
  return createHash('sha256').update(`ravi ${schema} ${table}`).digest().readUInt32BE() % lockNumbers;
}
