import { isCallWithin } from '@ravi/kernel';
import { endedReason, takeOpenApprovals, withdrawOfRun } from './approval-steps.ts';
import type { Dialect, SqlRunner } from './database.ts';
import { endJobsOf } from './job-store.ts';
import { numberIn, readRows, textIn } from './rows.ts';
import { endOpenCalls } from './open-calls.ts';
import { addLastEvent } from './run-events.ts';
import { jsonText } from './json-text.ts';
import { isLive, ofRunAndBelow, runs } from './run-rows.ts';
import { removeScratchpad } from './run-scratchpads.ts';
import { selectRow } from './select.ts';
import { noteRun } from './wakes.ts';

/**
 * Takes a run, every live run below it and their open approvals, in the order in which every transaction takes them: runs from the top
 * down, then approvals by age. Until the transaction ends, nothing is added below the run, and no request to any of these runs.
 */
export async function takeRunTree(sql: SqlRunner, { takeRows }: Dialect, runId: string): Promise<void> {
  await sql.all(`SELECT id FROM ${runs.table} WHERE id = $1${takeRows}`, [runId]);
  const { text, after = '' } = ofRunAndBelow(runId, 'id');
  const below = `SELECT id FROM ${runs.table} WHERE ${text} $1${after} AND ${isLive} ORDER BY sequence${takeRows}`;
  // While this waits for a run, another one may start below it, and is found next time.
  let known = 0;
  let found = (await sql.all(below, [runId])).length;
  while (found > 1 && found > known) {
    known = found;
    found = (await sql.all(below, [runId])).length;
  }
  await takeOpenApprovals(sql, takeRows, runId);
}

/** True if a run exists and has a final status, so that no run can start below it. Otherwise it cannot end before the transaction does. */
export async function hasEnded(sql: SqlRunner, { lockRows }: Dialect, runId: string): Promise<boolean> {
  const status = (await selectRow(sql, runs.table, { id: runId }, lockRows))?.['status'];
  return typeof status === 'string' && status !== 'running' && status !== 'paused';
}

/**
 * Cancels every live run below a run that has just ended, with their jobs, and withdraws their approvals: no run waits for their results,
 * and no process would resume them. The last event of a sub-agent says so; those of a script are in the run of its agent. The caller has
 * called {@link takeRunTree}.
 */
export async function endRunsBelow(
  sql: SqlRunner,
  dialect: Dialect,
  parent: { readonly id: string; readonly status: string },
  now: number,
): Promise<void> {
  const message = `The run ${parent.id}, which started this run, is ${parent.status}`;
  for (const id of await liveRunsBelow(sql, parent.id)) await cancelRun(sql, dialect, id, { now, message });
}

/** Cancels every live run that works for a call of a run, or for a call inside it, in the same way and with the same condition. */
export async function endRunsOfCall(
  sql: SqlRunner,
  dialect: Dialect,
  { runId, callId: id }: { readonly runId: string; readonly callId: string },
  { now, reason: message }: { readonly now: number; readonly reason: string },
): Promise<void> {
  const rows = await sql.all(`SELECT * FROM ${runs.table} WHERE parent_run_id = $1 AND ${isLive}`, [runId]);
  for (const { id: childId, definition } of readRows(runs, rows).items) {
    const callId = definition.details?.['callId'];
    if (typeof callId === 'string' && isCallWithin(callId, { id }))
      await cancelRun(sql, dialect, childId, { now, message });
  }
}

async function liveRunsBelow(sql: SqlRunner, parentId: string): Promise<readonly string[]> {
  const rows = await sql.all(`SELECT id FROM ${runs.table} WHERE parent_run_id = $1 AND ${isLive}`, [parentId]);
  return rows.map((row) => textIn(row, 'id'));
}

async function cancelRun(
  sql: SqlRunner,
  dialect: Dialect,
  runId: string,
  { now, message }: { readonly now: number; readonly message: string },
): Promise<void> {
  const error = { code: 'E_CANCELLED', message, retryable: false };
  const [row] = await sql.all(
    `UPDATE ${runs.table} SET status = 'cancelled', updated_at = $2, outcome = $3,
       lease_owner = NULL, lease_expires_at = NULL, block = NULL
     WHERE id = $1 AND ${isLive} RETURNING epoch, kind`,
    [runId, now, jsonText({ error }, 'The outcome of a run')],
  );
  if (row === undefined) return;
  noteRun(sql, runId, 'child-ended');
  await withdrawOfRun(sql, runId, now, endedReason('cancelled', message));
  await endJobsOf(sql, dialect, runId, { now, message });
  await removeScratchpad(sql, runId);
  if (row['kind'] === 'agent') {
    const end = { at: now, type: 'run-end', data: { status: 'cancelled', error } };
    const last = { runId, epoch: numberIn(row, 'epoch') };
    await endOpenCalls(sql, last, now);
    await addLastEvent(sql, last, end);
  }
  for (const id of await liveRunsBelow(sql, runId)) {
    await cancelRun(sql, dialect, id, { now, message: `The run ${runId}, which started this run, is cancelled` });
  }
}
