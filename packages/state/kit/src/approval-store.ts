import type { Approval, ApprovalBinding, ApprovalTransition, ApprovalStore, Listing } from '@ravi/kernel';
import { addChange, approvals, changes, pendingRow } from './approval-rows.ts';
import { conflict } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, optionalPrincipalKey } from './keys.ts';
import { numberIn, readRow, readRows } from './rows.ts';
import { insertRow, selectPage, selectRow } from './select.ts';
import type { ChangeDetails } from './approval-rows.ts';
import type { Database, SqlRunner } from './database.ts';

/** New state of an approval, or the reason why it does not change. */
type Step =
  | { readonly approval: Omit<Approval, 'sequence' | 'request'>; readonly details: Omit<ChangeDetails, 'from' | 'to'> }
  | Exclude<ApprovalTransition, { readonly status: 'done' | 'not-found' }>;

// One writer at a time, so that audit log entries become visible in the order of their numbers.
const lock = 'approvals';
const boundFields: readonly (keyof ApprovalBinding)[] = ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'];

/** Creates a store of approvals in a table, with an audit log written in the same transactions. */
export function createApprovalStore(database: Database): ApprovalStore {
  const change = (id: string, step: (approval: Approval) => Step): Promise<ApprovalTransition> =>
    database.transaction(
      async (sql) => {
        const row = await selectRow(sql, approvals.table, { id });
        return row === undefined ? { status: 'not-found' } : apply(sql, readRow(approvals, row), step);
      },
      { lock },
    );

  return {
    create: (request) =>
      database.transaction(
        async (sql) => {
          const sequence = await addChange(sql, request, { to: 'pending', at: request.requestedAt });
          const row = pendingRow(request, sequence);
          if (await insertRow(sql, approvals.table, row)) return readRow(approvals, row);
          throw conflict(`Approval "${request.id}" already exists`);
        },
        { lock },
      ),
    async get(id) {
      const row = await selectRow(database, approvals.table, { id });
      return row && readRow(approvals, row);
    },
    list: ({ principal, runId, sessionId, status }, page) =>
      selectPage(
        database,
        approvals,
        { principal_key: optionalPrincipalKey(principal), run_id: runId, session_id: sessionId, status },
        page,
      ),
    decide: (id, answer) =>
      change(id, (approval) => {
        const isLate = answer.decidedAt >= approval.request.expiresAt;
        if (approval.status !== 'pending' || isLate) return { status: 'conflict', approval };
        const isYes = answer.decision === 'approved' || answer.decision === 'modified';
        const { approver: actor, reason, decidedAt: at } = answer;
        return {
          approval: { status: isYes ? 'approved' : 'denied', answer },
          details: { at, ...(actor === undefined ? {} : { actor }), ...(reason === undefined ? {} : { reason }) },
        };
      }),
    consume: (id, binding, { consumer, now }) =>
      change(id, (approval) => {
        if (approval.status === 'pending' || approval.status === 'consumed') return { status: 'conflict', approval };
        const field = boundFields.find((name) => binding[name] !== approval.request[name]);
        if (field !== undefined) return { status: 'mismatch', approval, field };
        const { answer } = approval;
        return {
          approval: {
            status: 'consumed',
            ...(answer === undefined ? {} : { answer }),
            consumer: checkId(consumer, 'The consumer', 1_000),
          },
          details: { at: now, actor: consumer },
        };
      }),
    withdraw: (id, { now, reason }) =>
      change(id, (approval) => {
        if (approval.status !== 'pending') return { status: 'conflict', approval };
        return { approval: { status: 'expired' }, details: { at: now, reason } };
      }),
    expire: (now) => expireAll(database, now),
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

async function apply(
  sql: SqlRunner,
  approval: Approval,
  step: (approval: Approval) => Step,
): Promise<Exclude<ApprovalTransition, { readonly status: 'not-found' }>> {
  const next = step(approval);
  if ('status' in next) return next;
  const { request } = approval;
  const { status, answer, consumer } = next.approval;
  const sequence = await addChange(sql, request, { from: approval.status, to: status, ...next.details });
  const [row] = await sql.all(
    `UPDATE ${approvals.table} SET status = $2, answer = $3, consumer = $4, sequence = $5 WHERE id = $1 RETURNING *`,
    [request.id, status, answer ? jsonText(answer, 'An answer') : null, consumer ?? null, sequence],
  );
  return { status: 'done', approval: readRow(approvals, row ?? {}) };
}

async function expireAll(database: Database, now: number): Promise<Listing<Approval>> {
  const overdue = `SELECT * FROM ${approvals.table} WHERE status = 'pending' AND expires_at <= $1 ORDER BY created_sequence`;
  const found = await database.all(`${overdue} LIMIT 1`, [now]);
  if (found.length === 0) return { items: [], corrupt: [] };
  return database.transaction(
    async (sql) => {
      const { items, corrupt } = readRows(approvals, await sql.all(overdue, [now]));
      const ended: Approval[] = [];
      for (const item of items) {
        const { approval } = await apply(sql, item, () => ({ approval: { status: 'expired' }, details: { at: now } }));
        ended.push(approval);
      }
      return { items: ended, corrupt };
    },
    { lock },
  );
}
