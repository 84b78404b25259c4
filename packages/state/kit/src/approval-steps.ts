import { isCoveredBy, nextApproval, openApprovalStatuses, undecidedStatuses, wholeRunOf } from '@ravi/kernel';
import type { Approval, ApprovalAction, ApprovalTransition, RecordedDecision } from '@ravi/kernel';
import { addChange, approvals } from './approval-rows.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';
import { jsonText } from './json-text.ts';
import { numberIn, readRow, readRows } from './rows.ts';
import { ofRunAndBelow, runs } from './run-rows.ts';
import { selectRow } from './select.ts';
import type { Condition } from './select.ts';

/** Name of the lock of approvals: one writer at a time, so that lines of the audit log become visible in their order. */
export const approvalsLock = 'approvals';

/** Changes one approval and adds the change to the audit log. The caller holds {@link approvalsLock}. */
export async function applyAction(
  sql: SqlRunner,
  approval: Approval,
  action: ApprovalAction,
): Promise<Exclude<ApprovalTransition, { readonly status: 'not-found' }>> {
  const step = nextApproval(approval, action);
  if ('status' in step) return step;
  const { request } = approval;
  const { status, answer, consumer } = step.next;
  const sequence = await addChange(sql, request, { from: approval.status, to: status, ...step.details });
  const [row] = await sql.all(
    `UPDATE ${approvals.table} SET status = $2, answer = $3, consumer = $4, sequence = $5 WHERE id = $1 RETURNING *`,
    [request.id, status, answer ? jsonText(answer, 'An answer') : null, consumer ?? null, sequence],
  );
  return { status: 'done', approval: readRow(approvals, row ?? {}) };
}

/** Decides a request, and those that an approval for the whole run covers; withdraws it if its run has ended. */
export async function decideApproval(
  sql: SqlRunner,
  approval: Approval,
  decision: RecordedDecision,
): Promise<Exclude<ApprovalTransition, { readonly status: 'not-found' }>> {
  const ended = await withdrawIfEnded(sql, approval, decision.decidedAt);
  if (ended !== undefined) return { status: 'conflict', approval: ended };
  const decided = await applyAction(sql, approval, { type: 'decide', decision });
  if (decided.status !== 'done' || decision.decision !== 'approved' || decision.scope !== 'run') return decided;
  // The scripts that are part of the run have requests of their own.
  const ofWholeRun = ofRunAndBelow(wholeRunOf(approval.request));
  const others = readRows(approvals, await openRows(sql, ofWholeRun, undecidedStatuses));
  for (const other of others.items) {
    if (isCoveredBy(other.request, approval.request)) await applyAction(sql, other, { type: 'decide', decision });
  }
  return decided;
}

/** Withdraws every approval of a run that has ended, except the consumed ones. Damaged rows stay as they are. */
export async function withdrawOfRun(sql: SqlRunner, runId: string, now: number, reason: string): Promise<void> {
  const { items } = readRows(approvals, await openRows(sql, { text: 'run_id =', value: runId }, openApprovalStatuses));
  for (const item of items) await applyAction(sql, item, { type: 'withdraw', now, reason });
}

/**
 * Withdraws what calls of a run asked people while they were running: the process that ran them has ended, and no call takes the
 * answer any more.
 */
export async function withdrawElicitations(database: Database, runId: string): Promise<void> {
  const find = async (sql: SqlRunner): Promise<readonly Approval[]> => {
    const rows = await openRows(sql, { text: 'run_id =', value: runId }, openApprovalStatuses);
    return readRows(approvals, rows).items.filter(({ request }) => request.elicitation !== undefined);
  };
  const found = await find(database);
  if (found.length === 0) return;
  await database.transaction(
    async (sql) => {
      const [row] = await sql.all(`SELECT ${database.dialect.leaseNow} AS now`);
      const now = numberIn(row ?? {}, 'now');
      const reason = 'The process that ran the call has ended';
      for (const each of await find(sql)) await applyAction(sql, each, { type: 'withdraw', now, reason });
    },
    { lock: approvalsLock },
  );
}

/** Withdraws an approval if its run has ended, and returns it. */
export async function withdrawIfEnded(sql: SqlRunner, approval: Approval, now: number): Promise<Approval | undefined> {
  const row = await selectRow(sql, runs.table, { id: approval.request.runId });
  const status = row?.['status'];
  if (typeof status !== 'string' || status === 'running' || status === 'paused') return undefined;
  const reason = endedReason(status);
  const withdrawn = await applyAction(sql, approval, { type: 'withdraw', now, reason });
  return withdrawn.approval;
}

/** Returns the reason for which the approvals of an ended run are withdrawn. */
export function endedReason(status: string, message?: string): string {
  const why = message === undefined ? '' : `: ${message.slice(0, 500)}`;
  return `The run is ${status}, so the call will not run${why}`;
}

function openRows(
  sql: SqlRunner,
  { text, value, after = '' }: Condition,
  statuses: readonly string[],
): Promise<readonly SqlRow[]> {
  const places = statuses.map((_, index) => `$${index + 2}`).join(', ');
  return sql.all(
    `SELECT * FROM ${approvals.table} WHERE ${text} $1${after} AND status IN (${places}) ORDER BY created_sequence`,
    [value, ...statuses],
  );
}
