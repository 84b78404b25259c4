import { endedReason, withdrawOfRun } from './approval-steps.ts';
import type { SqlRunner } from './database.ts';
import { endJobsOf } from './job-store.ts';
import { numberIn } from './rows.ts';
import { addLastEvent } from './run-events.ts';
import { jsonText } from './json-text.ts';
import { isLive, runs } from './run-rows.ts';
import { selectRow } from './select.ts';

/** True if a run exists and has a final status, so that no run can start below it. */
export async function hasEnded(sql: SqlRunner, runId: string): Promise<boolean> {
  const status = (await selectRow(sql, runs.table, { id: runId }))?.['status'];
  return typeof status === 'string' && status !== 'running' && status !== 'paused';
}

/**
 * Cancels every live run below a run that has just ended, with their jobs, and withdraws their approvals: no run waits for their results,
 * and no process would resume them. The last event of a sub-agent says so; those of a script are in the run of its agent.
 */
export async function endRunsBelow(
  sql: SqlRunner,
  parent: { readonly id: string; readonly status: string },
  now: number,
): Promise<void> {
  const message = `The run ${parent.id}, which started this run, is ${parent.status}`;
  const error = { code: 'E_CANCELLED', message, retryable: false };
  const outcome = jsonText({ error }, 'The outcome of a run');
  const end = { at: now, type: 'run-end', data: { status: 'cancelled', error } };
  const parents = [parent.id];
  for (const parentId of parents) {
    const ended = await sql.all(
      `UPDATE ${runs.table} SET status = 'cancelled', updated_at = $2, outcome = $3,
         lease_owner = NULL, lease_expires_at = NULL
       WHERE parent_run_id = $1 AND ${isLive} RETURNING id, epoch, kind`,
      [parentId, now, outcome],
    );
    for (const row of ended) {
      const runId = String(row['id']);
      await withdrawOfRun(sql, runId, now, endedReason('cancelled', message));
      await endJobsOf(sql, runId, message, now);
      if (row['kind'] === 'agent') await addLastEvent(sql, { runId, epoch: numberIn(row, 'epoch') }, end);
      parents.push(runId);
    }
  }
}
