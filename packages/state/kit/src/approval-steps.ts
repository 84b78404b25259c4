import {
  isCoveredBy,
  isUndecided,
  nextApproval,
  openApprovalStatuses,
  undecidedStatuses,
  wholeRunOf,
} from '@ravi/kernel';
import type { Approval, ApprovalAction, ApprovalStatus, ApprovalTransition, RecordedDecision } from '@ravi/kernel';
import { addsChanges, approvals, withChange } from './approval-rows.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';
import { jsonText } from './json-text.ts';
import { numberIn, readRow, readRows } from './rows.ts';
import { ofRunAndBelow, runs } from './run-rows.ts';
import { selectRow } from './select.ts';
import type { ValueCondition } from './select.ts';
import { noteRun } from './wakes.ts';

/**
 * Changes one approval, adds the change to the audit log, and wakes the run that waits for it. The caller has taken the row, in a transaction
 * with {@link addsChanges}.
 */
export async function applyAction(
  sql: SqlRunner,
  approval: Approval,
  action: ApprovalAction,
): Promise<Exclude<ApprovalTransition, { readonly status: 'not-found' }>> {
  const changed = await changeApproval(sql, approval, action);
  const { request, status } = changed.approval;
  const isAnswer = changed.status === 'done' && status !== 'consumed' && !isUndecided({ status });
  if (isAnswer) noteRun(sql, request.runId, status === 'withdrawn' ? 'cancelled' : 'answered');
  return changed;
}

async function changeApproval(
  sql: SqlRunner,
  approval: Approval,
  action: ApprovalAction,
): Promise<Exclude<ApprovalTransition, { readonly status: 'not-found' }>> {
  const step = nextApproval(approval, action);
  if ('status' in step) return step;
  const { request } = approval;
  const { status, answer, consumer } = step.next;
  const change = { from: approval.status, to: status, ...step.details };
  const [row] = await withChange(sql, request, change, {
    text: (sequence) =>
      `UPDATE ${approvals.table} SET status = $2, answer = $3, consumer = $4, sequence = ${sequence} WHERE id = $1 RETURNING *`,
    values: [request.id, status, answer ? jsonText(answer, 'An answer') : null, consumer ?? null],
  });
  return { status: 'done', approval: readRow(approvals, row ?? {}) };
}

// With the status of the run. A transaction that ends a run also takes its undecided requests, so a decision that had to wait for
// one sees that the request is withdrawn, although it read the status before.
const decidedColumns = `${approvals.table}.*, (SELECT status FROM ${runs.table} WHERE id = ${approvals.table}.run_id) AS run_status`;

/** Rows that a decision may change, which the transaction has taken. */
export interface DecidedRows {
  /** Row of the request. */
  readonly row: SqlRow;
  /** Of an approval for the whole run: the rows of the requests that it may cover. */
  readonly others: readonly SqlRow[];
}

/** Takes the rows that a decision may change, in the order in which every transaction takes them. */
export async function takeDecided(
  sql: SqlRunner,
  takeRows: string,
  { id, decision }: { readonly id: string; readonly decision: RecordedDecision },
): Promise<DecidedRows | undefined> {
  const isForRun = decision.decision === 'approved' && decision.scope === 'run';
  const one = `SELECT ${decidedColumns} FROM ${approvals.table} WHERE id = $1${isForRun ? '' : takeRows}`;
  const [row] = await sql.all(one, [id]);
  if (row === undefined || !isForRun) return row && { row, others: [] };
  // The scripts that are part of the run have requests of their own. An end of the run takes the decided ones too.
  const { text, value, after = '' } = ofRunAndBelow(wholeRunOf(readRow(approvals, row).request));
  const taken = await sql.all(
    `SELECT ${decidedColumns} FROM ${approvals.table} WHERE id IN (
       SELECT id FROM ${approvals.table} WHERE ${text} $1${after} AND status IN (${listOf(openApprovalStatuses)})
       UNION SELECT id FROM ${approvals.table} WHERE id = $2)
     ORDER BY created_sequence${takeRows}`,
    [value, id],
  );
  const isUndecidedRow = ({ status }: SqlRow): boolean => undecidedStatuses.some((each) => each === status);
  return {
    row: taken.find((each) => each['id'] === id) ?? row,
    others: taken.filter((each) => each['id'] !== id && isUndecidedRow(each)),
  };
}

/** Decides a request, and those that an approval for the whole run covers; withdraws it if its run has ended. */
export async function decideApproval(
  sql: SqlRunner,
  { row, others }: DecidedRows,
  decision: RecordedDecision,
): Promise<Exclude<ApprovalTransition, { readonly status: 'not-found' }>> {
  const approval = readRow(approvals, row);
  const ended = endedIn(row['run_status']);
  if (ended !== undefined) {
    return { status: 'conflict', approval: await withdrawEnded(sql, approval, decision.decidedAt, ended) };
  }
  const decided = await applyAction(sql, approval, { type: 'decide', decision });
  if (decided.status !== 'done') return decided;
  for (const other of readRows(approvals, others).items) {
    if (isCoveredBy(other.request, approval.request)) await applyAction(sql, other, { type: 'decide', decision });
  }
  return decided;
}

/** Takes the rows of every approval of a run and of the runs below it that {@link withdrawOfRun} may change. */
export async function takeOpenApprovals(sql: SqlRunner, takeRows: string, runId: string): Promise<void> {
  await openRows(sql, ofRunAndBelow(runId), openApprovalStatuses, takeRows);
}

/**
 * Withdraws every approval of a run that has ended, except the consumed ones. Damaged rows stay as they are. The caller has taken the
 * rows.
 */
export async function withdrawOfRun(sql: SqlRunner, runId: string, now: number, reason: string): Promise<void> {
  const { items } = readRows(approvals, await openRows(sql, { text: 'run_id =', value: runId }, openApprovalStatuses));
  for (const item of items) await changeApproval(sql, item, { type: 'withdraw', now, reason });
}

/**
 * Withdraws what calls of a run asked people while they were running: the process that ran them has ended, and no call takes the
 * answer any more.
 */
export async function withdrawElicitations(database: Database, runId: string): Promise<void> {
  const { leaseNow, takeRows } = database.dialect;
  const find = async (sql: SqlRunner, locking?: string): Promise<readonly Approval[]> => {
    const rows = await openRows(sql, { text: 'run_id =', value: runId }, openApprovalStatuses, locking);
    return readRows(approvals, rows).items.filter(({ request }) => request.elicitation !== undefined);
  };
  const found = await find(database);
  if (found.length === 0) return;
  await database.transaction(async (sql) => {
    const [row] = await sql.all(`SELECT ${leaseNow} AS now`);
    const now = numberIn(row ?? {}, 'now');
    const reason = 'The process that ran the call has ended';
    for (const each of await find(sql, takeRows)) await applyAction(sql, each, { type: 'withdraw', now, reason });
  }, addsChanges);
}

/** Returns the status of a run if it has ended. With `lockRows` it cannot end before the transaction does. */
export async function endedStatus(sql: SqlRunner, runId: string, lockRows: string): Promise<string | undefined> {
  const row = await selectRow(sql, runs.table, { id: runId }, lockRows);
  return endedIn(row?.['status']);
}

function endedIn(status: unknown): string | undefined {
  return typeof status !== 'string' || status === 'running' || status === 'paused' ? undefined : status;
}

/** Withdraws an approval whose run has ended with a status, and returns it. */
export async function withdrawEnded(
  sql: SqlRunner,
  approval: Approval,
  now: number,
  status: string,
): Promise<Approval> {
  const { approval: withdrawn } = await changeApproval(sql, approval, {
    type: 'withdraw',
    now,
    reason: endedReason(status),
  });
  return withdrawn;
}

/** Returns the reason for which the approvals of an ended run are withdrawn. */
export function endedReason(status: string, message?: string): string {
  const why = message === undefined ? '' : `: ${message.slice(0, 500)}`;
  return `The run is ${status}, so the call will not run${why}`;
}

function openRows(
  sql: SqlRunner,
  { text, value, after = '' }: ValueCondition,
  statuses: readonly ApprovalStatus[],
  locking = '',
): Promise<readonly SqlRow[]> {
  return sql.all(
    `SELECT * FROM ${approvals.table} WHERE ${text} $1${after} AND status IN (${listOf(statuses)}) ORDER BY created_sequence${locking}`,
    [value],
  );
}

/** Returns approval statuses for an SQL list. */
export function listOf(statuses: readonly ApprovalStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
