import { isCallWithin } from '@ravi/kernel';
import { endedReason, withdrawOfRun } from './approval-steps.ts';
import type { SqlRunner } from './database.ts';
import { endJobsOf } from './job-store.ts';
import { numberIn, readRows, textIn } from './rows.ts';
import { endOpenCalls } from './open-calls.ts';
import { addLastEvent } from './run-events.ts';
import { jsonText } from './json-text.ts';
import { isLive, runs } from './run-rows.ts';
import { removeScratchpad } from './run-scratchpads.ts';
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
  for (const id of await liveRunsBelow(sql, parent.id)) await cancelRun(sql, id, message, now);
}

/** Cancels every live run that works for a call of a run, or for a call inside it, in the same way. */
export async function endRunsOfCall(
  sql: SqlRunner,
  { runId, callId: id }: { readonly runId: string; readonly callId: string },
  { now, reason }: { readonly now: number; readonly reason: string },
): Promise<void> {
  const rows = await sql.all(`SELECT * FROM ${runs.table} WHERE parent_run_id = $1 AND ${isLive}`, [runId]);
  for (const { id: childId, definition } of readRows(runs, rows).items) {
    const callId = definition.details?.['callId'];
    if (typeof callId === 'string' && isCallWithin(callId, { id })) await cancelRun(sql, childId, reason, now);
  }
}

async function liveRunsBelow(sql: SqlRunner, parentId: string): Promise<readonly string[]> {
  const rows = await sql.all(`SELECT id FROM ${runs.table} WHERE parent_run_id = $1 AND ${isLive}`, [parentId]);
  return rows.map((row) => textIn(row, 'id'));
}

async function cancelRun(sql: SqlRunner, runId: string, message: string, now: number): Promise<void> {
  const error = { code: 'E_CANCELLED', message, retryable: false };
  const [row] = await sql.all(
    `UPDATE ${runs.table} SET status = 'cancelled', updated_at = $2, outcome = $3,
       lease_owner = NULL, lease_expires_at = NULL, block = NULL
     WHERE id = $1 AND ${isLive} RETURNING epoch, kind`,
    [runId, now, jsonText({ error }, 'The outcome of a run')],
  );
  if (row === undefined) return;
  await withdrawOfRun(sql, runId, now, endedReason('cancelled', message));
  await endJobsOf(sql, runId, message, now);
  await removeScratchpad(sql, runId);
  if (row['kind'] === 'agent') {
    const end = { at: now, type: 'run-end', data: { status: 'cancelled', error } };
    const last = { runId, epoch: numberIn(row, 'epoch') };
    await endOpenCalls(sql, last, now);
    await addLastEvent(sql, last, end);
  }
  for (const id of await liveRunsBelow(sql, runId)) {
    await cancelRun(sql, id, `The run ${runId}, which started this run, is cancelled`, now);
  }
}
