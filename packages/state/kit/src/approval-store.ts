import { completionPrefix } from '@ravi/kernel';
import type { Approval, ApprovalTransition, ApprovalStore, KernelError, Listing, RunWriter } from '@ravi/kernel';
import { addChange, approvals, changes, pendingRow } from './approval-rows.ts';
import { applyAction, approvalsLock, decideApproval, withdrawIfEnded } from './approval-steps.ts';
import { conflict } from './errors.ts';
import { checkId, optionalPrincipalKey } from './keys.ts';
import { numberIn, readRow, readRows } from './rows.ts';
import { checkWriter, ofRunAndBelow } from './run-rows.ts';
import { insertRow, selectPage, selectRow } from './select.ts';
import type { Condition } from './select.ts';
import type { Database, SqlRunner } from './database.ts';

// By the id: a damaged request is listed too.
const isCompletionRow = (isCompletion: boolean): Condition => ({
  text: `substr(id, 1, ${completionPrefix.length}) ${isCompletion ? '=' : '<>'}`,
  value: completionPrefix,
});
const isUndecidedRow = { text: "status IN ('parked',", value: 'pending', after: ')' };

/** Creates a store of approvals in a table, with an audit log written in the same transactions. */
export function createApprovalStore(database: Database): ApprovalStore {
  const { lockRows } = database.dialect;
  const change = (
    id: string,
    writer: RunWriter | undefined,
    apply: (sql: SqlRunner, approval: Approval) => Promise<ApprovalTransition>,
  ): Promise<ApprovalTransition> =>
    database.transaction(
      async (sql) => {
        await checkWriter(sql, lockRows, writer);
        const row = await selectRow(sql, approvals.table, { id });
        return row === undefined ? { status: 'not-found' } : apply(sql, readRow(approvals, row));
      },
      { lock: approvalsLock },
    );

  return {
    create: (request, writer) =>
      database.transaction(
        async (sql) => {
          await checkWriter(sql, lockRows, writer);
          const sequence = await addChange(sql, request, { to: 'pending', at: request.requestedAt });
          const row = pendingRow(request, sequence);
          if (!(await insertRow(sql, approvals.table, row))) {
            throw conflict(`Approval "${request.id}" already exists`);
          }
          const approval = readRow(approvals, row);
          return (await withdrawIfEnded(sql, approval, request.requestedAt)) ?? approval;
        },
        { lock: approvalsLock },
      ),
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
          ...(status === 'undecided' ? {} : { status }),
        },
        page,
        [
          ...(runId === undefined ? [] : [ofRunAndBelow(runId)]),
          ...(isCompletion === undefined ? [] : [isCompletionRow(isCompletion)]),
          ...(status === 'undecided' ? [isUndecidedRow] : []),
        ],
      ),
    decide: (id, decision) => change(id, undefined, (sql, approval) => decideApproval(sql, approval, decision)),
    consume: (id, binding, { consumer, now, writer }) =>
      change(id, writer, (sql, approval) =>
        applyAction(sql, approval, {
          type: 'consume',
          binding,
          consumer: checkId(consumer, 'The consumer', 1_000),
          now,
        }),
      ),
    withdraw: (id, { now, reason, writer }) =>
      change(id, writer, (sql, approval) => applyAction(sql, approval, { type: 'withdraw', now, reason })),
    async expire(now, parkedBefore) {
      const parked = parkedBefore === undefined ? nothing : await expireAll(database, 'parked', now, parkedBefore);
      const pending = await expireAll(database, 'pending', now);
      return { items: [...parked.items, ...pending.items], corrupt: [...parked.corrupt, ...pending.corrupt] };
    },
    async changes({ after, limit, principal, runId, approvalId } = {}) {
      const wanted = { principal_key: optionalPrincipalKey(principal), run_id: runId, approval_id: approvalId };
      const cursor = after === undefined ? {} : { cursor: String(after) };
      const { items, corrupt } = await selectPage(database, changes, wanted, {
        ...cursor,
        ...(limit === undefined ? {} : { limit }),
      });
      return { items, corrupt };
    },
    async lastSequence() {
      const [row] = await database.all(`SELECT coalesce(max(sequence), 0) AS sequence FROM ${changes.table}`);
      return numberIn(row ?? {}, 'sequence');
    },
  };
}

const expiredPerTransaction = 100;
const nothing: Listing<Approval> = { items: [], corrupt: [] };

// In slices, so that thousands of requests that expired while no process ran do not stop this one.
async function expireAll(
  database: Database,
  status: 'pending' | 'parked',
  now: number,
  parkedBefore?: number,
): Promise<Listing<Approval>> {
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
    await database.transaction(
      async (sql) => {
        // Read again: another process may have expired them meanwhile.
        const slice = readRows(approvals, await sql.all(overdue, values));
        corrupt.push(...slice.corrupt);
        for (const item of slice.items) {
          const action = { type: 'expire', now, ...(parkedBefore === undefined ? {} : { parkedBefore }) } as const;
          items.push((await applyAction(sql, item, action)).approval);
        }
      },
      { lock: approvalsLock },
    );
    // Damaged ones stay as they are.
    after = [numberIn(last, 'expires_at'), numberIn(last, 'created_sequence')];
    // Requests and calls that wait go first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
