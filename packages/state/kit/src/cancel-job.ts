import { isCallWithin, openApprovalStatuses } from '@ravi/kernel';
import type { Job, JobStore } from '@ravi/kernel';
import { applyAction } from './approval-steps.ts';
import { addsChanges, approvals } from './approval-rows.ts';
import type { Database, Dialect, SqlRunner } from './database.ts';
import { cancelLiveJob, jobs } from './job-store.ts';
import { readRow, readRows } from './rows.ts';
import { runs } from './run-rows.ts';
import { endRunsOfCall, takeRunTree } from './run-tree.ts';
import { selectRow } from './select.ts';

/** Creates the cancellation of jobs whose runs no process executes. */
export function createJobCancellation(database: Database): JobStore['cancel'] {
  // Taken, so that no process claims the run before the job has ended.
  async function isHeld(sql: SqlRunner, runId: string): Promise<boolean> {
    await takeRunTree(sql, database.dialect, runId);
    const [row] = await sql.all(`SELECT status, lease_owner FROM ${runs.table} WHERE id = $1`, [runId]);
    return row?.['status'] === 'running' && row['lease_owner'] !== null;
  }

  return (id, { version, now, reason }) =>
    database.transaction(async (sql) => {
      const found = await selectRow(sql, jobs.table, { id });
      const job = found && readRow(jobs, found);
      if (job?.version !== version || (job.runId !== undefined && (await isHeld(sql, job.runId)))) return undefined;
      const cancelled = await cancelLiveJob(sql, job, reason, now);
      if (cancelled !== undefined) await endCallOf(sql, database.dialect, job, { now, reason });
      return cancelled;
    }, addsChanges);
}

async function endCallOf(
  sql: SqlRunner,
  dialect: Dialect,
  { runId, callId }: Job,
  ending: { readonly now: number; readonly reason: string },
): Promise<void> {
  if (runId === undefined || callId === undefined) return;
  await endRunsOfCall(sql, dialect, { runId, callId }, ending);
  const rows = await sql.all(`SELECT * FROM ${approvals.table} WHERE run_id = $1 ORDER BY created_sequence`, [runId]);
  for (const approval of readRows(approvals, rows).items) {
    const isOfCall = isCallWithin(approval.request.callId, { id: callId });
    if (isOfCall && openApprovalStatuses.includes(approval.status)) {
      await applyAction(sql, approval, { type: 'withdraw', ...ending });
    }
  }
}
