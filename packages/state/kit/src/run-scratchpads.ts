import { scratchpadArea } from '@ravi/kernel';
import type { SqlRunner } from './database.ts';
import { isLive, runs } from './run-rows.ts';

const table = 'ravi_values';

/** Removes the scratchpad of a run that ends in the same transaction. */
export async function removeScratchpad(sql: SqlRunner, runId: string): Promise<void> {
  // By the three columns of the index.
  await sql.all(
    `DELETE FROM ${table} WHERE area = $1 AND value_key = $2
       AND principal_key = (SELECT principal_key FROM ${runs.table} WHERE id = $2)`,
    [scratchpadArea, runId],
  );
}

/**
 * Removes the scratchpads of runs that have ended or do not exist: a process that had lost its run may have stored one after the
 * end of the run.
 */
export async function removeUnusedScratchpads(sql: SqlRunner): Promise<void> {
  await sql.all(
    `DELETE FROM ${table} WHERE area = $1
       AND NOT EXISTS (SELECT 1 FROM ${runs.table} WHERE ${runs.table}.id = ${table}.value_key AND ${isLive})`,
    [scratchpadArea],
  );
}
