import { completionPrefix, undecidedStatuses } from '@ravi/kernel';
import type {
  Approval,
  ApprovalAction,
  ApprovalFilter,
  ApprovalTransition,
  ApprovalStore,
  KernelError,
  Listing,
  RunWriter,
} from '@ravi/kernel';
import { addsChanges, approvals, changes, pendingInsertion, withChange } from './approval-rows.ts';
import { applyAction, decideApproval, endedStatus, listOf, takeDecided, withdrawEnded } from './approval-steps.ts';
import { conflict } from './errors.ts';
import { checkId, optionalPrincipalKey } from './keys.ts';
import { numberIn, readRow, readRows } from './rows.ts';
import { checkWriter, ofRunAndBelow } from './run-rows.ts';
import { selectPage, selectRow } from './select.ts';
import type { Condition, ValueCondition } from './select.ts';
import type { Database } from './database.ts';

// By the id: a damaged request is listed too.
const isCompletionRow = (isCompletion: boolean): ValueCondition => ({
  text: `substr(id, 1, ${completionPrefix.length}) ${isCompletion ? '=' : '<>'}`,
  value: completionPrefix,
});
// Undecided statuses are written out, so that the database uses its index of these requests.
const hasApprovalStatus = (status: NonNullable<ApprovalFilter['status']>): Condition | ValueCondition => {
  const undecided = undecidedStatuses.filter((each) => status === 'undecided' || status === each);
  if (undecided.length === 0) return { text: 'status =', value: status };
  return { text: `status IN (${listOf(undecided)})` };
};

/**
 * Creates a store of approvals in a table, with an audit log written in the same transactions. A transaction takes rows of runs before
 * rows of approvals, and each kind in the order of creation, so that no two wait for each other.
 */
export function createApprovalStore(database: Database): ApprovalStore {
  const { lockRows, takeRows } = database.dialect;
  const change = (id: string, writer: RunWriter | undefined, action: ApprovalAction): Promise<ApprovalTransition> =>
    database.transaction(async (sql) => {
      await checkWriter(sql, lockRows, writer);
      const row = await selectRow(sql, approvals.table, { id }, takeRows);
      return row === undefined ? notFound : applyAction(sql, readRow(approvals, row), action);
    }, addsChanges);

  return {
    create: (request, writer) =>
      database.transaction(async (sql) => {
        await checkWriter(sql, lockRows, writer);
        // The run cannot end before the transaction does.
        const ended = await endedStatus(sql, request.runId, lockRows);
        const change = { to: 'pending', at: request.requestedAt } as const;
        const [row] = await withChange(sql, request, change, pendingInsertion(request));
        if (row === undefined) throw conflict(`Approval "${request.id}" already exists`);
        const approval = readRow(approvals, row);
        return ended === undefined ? approval : withdrawEnded(sql, approval, request.requestedAt, ended);
      }, addsChanges),
    async get(id) {
      const row = await selectRow(database, approvals.table, { id });
      return row && readRow(approvals, row);
    },
    list: ({ principal, runId, sessionId, isCompletion, status }, page) =>
      selectPage(
        database,
        approvals,
        {
          principal_key: optionalPrincipalKey(principal),
          session_id: sessionId,
        },
        page,
        [
          ...(runId === undefined ? [] : [ofRunAndBelow(runId)]),
          ...(isCompletion === undefined ? [] : [isCompletionRow(isCompletion)]),
          ...(status === undefined ? [] : [hasApprovalStatus(status)]),
        ],
      ),
    decide: (id, decision) =>
      database.transaction(async (sql) => {
        const taken = await takeDecided(sql, takeRows, { id, decision });
        return taken === undefined ? notFound : decideApproval(sql, taken, decision);
      }, addsChanges),
    async consume(id, binding, { consumer, now, writer }) {
      return change(id, writer, { type: 'consume', binding, consumer: checkId(consumer, 'The consumer', 1_000), now });
    },
    withdraw: (id, { now, reason, writer }) => change(id, writer, { type: 'withdraw', now, reason }),
    async expire(now, parkedBefore) {
      const parked = parkedBefore === undefined ? nothing : await expireAll(database, 'parked', now, parkedBefore);
      const pending = await expireAll(database, 'pending', now);
      return { items: [...parked.items, ...pending.items], corrupt: [...parked.corrupt, ...pending.corrupt] };
    },
    async changes({ after, limit, principal, runId, approvalId } = {}) {
      const wanted = { principal_key: optionalPrincipalKey(principal), run_id: runId, approval_id: approvalId };
      const settled = await database.settled(changes.table, after);
      if (after !== undefined && after >= settled) return nothing;
      const cursor = after === undefined ? {} : { cursor: String(after) };
      const { items, corrupt } = await selectPage(
        database,
        changes,
        wanted,
        {
          ...cursor,
          ...(limit === undefined ? {} : { limit }),
        },
        [{ text: 'sequence <=', value: settled }],
      );
      return { items, corrupt };
    },
    async lastSequence() {
      const settled = await database.settled(changes.table);
      const [row] = await database.all(`SELECT coalesce(max(sequence), 0) AS sequence FROM ${changes.table}`);
      return Math.min(settled, numberIn(row ?? {}, 'sequence'));
    },
  };
}

const expiredPerTransaction = 100;
const nothing: Listing<never> = { items: [], corrupt: [] };
const notFound: ApprovalTransition = { status: 'not-found' };

// In slices, so that thousands of requests that expired while no process ran do not stop this one.
async function expireAll(
  database: Database,
  status: 'pending' | 'parked',
  now: number,
  parkedBefore?: number,
): Promise<Listing<Approval>> {
  const { takeFreeRows } = database.dialect;
  const overdue =
    `SELECT * FROM ${approvals.table} WHERE status = '${status}' AND expires_at <= $1 ` +
    `AND (expires_at, created_sequence) > ($2, $3) ORDER BY expires_at, created_sequence LIMIT ${expiredPerTransaction}`;
  const items: Approval[] = [];
  const corrupt: KernelError[] = [];
  let after: readonly [number, number] = [-1, 0];
  for (;;) {
    const values = [parkedBefore ?? now, ...after];
    const last = (await database.all(overdue, values)).at(-1);
    if (last === undefined) return { items, corrupt };
    await database.transaction(async (sql) => {
      // Read again, without those that another process has expired or changes now.
      const slice = readRows(approvals, await sql.all(`${overdue}${takeFreeRows}`, values));
      corrupt.push(...slice.corrupt);
      for (const item of slice.items) {
        const action = { type: 'expire', now, ...(parkedBefore === undefined ? {} : { parkedBefore }) } as const;
        items.push((await applyAction(sql, item, action)).approval);
      }
    }, addsChanges);
    // Damaged ones stay as they are.
    after = [numberIn(last, 'expires_at'), numberIn(last, 'created_sequence')];
    // Requests and calls that wait go first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
