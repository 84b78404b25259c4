import { approvalTransitions } from '@ravi/kernel';
import type { Approval, RecordedDecision, ApprovalChange, ApprovalRequest, ApprovalStatus } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { choiceIn, numberIn, objectIn, optionalObjectIn, textIn } from './rows.ts';
import type { SqlRunner, SqlValue, TransactionOptions } from './database.ts';
import type { PagedList } from './select.ts';

const statuses: readonly ApprovalStatus[] = Object.keys(approvalTransitions) as ApprovalStatus[];
const requestFields: readonly (keyof ApprovalRequest)[] = [
  'id',
  'runId',
  'principal',
  'tool',
  'toolDigest',
  'argsDigest',
  'expiresAt',
];

/** Reader of approvals. */
export const approvals: PagedList<Approval> = {
  table: 'ravi_approvals',
  orderedBy: 'created_sequence',
  newestFirst: true,
  key: (row) => String(row['id']),
  decode(row) {
    const answer = optionalObjectIn<RecordedDecision>(row, 'answer', ['decision', 'decidedAt']);
    return {
      request: objectIn<ApprovalRequest>(row, 'request', requestFields),
      status: choiceIn(row, 'status', statuses),
      ...(answer === undefined ? {} : { answer }),
      ...(row['consumer'] === null ? {} : { consumer: textIn(row, 'consumer') }),
      sequence: numberIn(row, 'sequence'),
    };
  },
};

/** Reader of the audit log. */
export const changes: PagedList<ApprovalChange> = {
  table: 'ravi_approval_changes',
  orderedBy: 'sequence',
  newestFirst: false,
  key: (row) => String(row['sequence']),
  decode: (row) => ({
    sequence: numberIn(row, 'sequence'),
    ...objectIn<Omit<ApprovalChange, 'sequence'>>(row, 'record', ['approvalId', 'runId', 'principal', 'to', 'at']),
  }),
};

/** Options of every transaction that adds entries to the audit log. */
export const addsChanges: TransactionOptions = { inserts: changes.table };

/** Fields of an audit log entry that do not come from the request. */
export type ChangeDetails = Pick<ApprovalChange, 'from' | 'to' | 'at' | 'actor' | 'reason'>;

/** Adds an entry to the audit log and returns its sequence number. */
export async function addChange(sql: SqlRunner, request: ApprovalRequest, details: ChangeDetails): Promise<number> {
  const { id: approvalId, runId, principal, tool } = request;
  const record = jsonText({ approvalId, runId, principal, tool, ...details }, 'A change of an approval');
  const [row] = await sql.all(
    `INSERT INTO ${changes.table} (approval_id, run_id, principal_key, record) VALUES ($1, $2, $3, $4) RETURNING sequence`,
    [approvalId, runId, principalKey(principal), record],
  );
  return numberIn(row ?? {}, 'sequence');
}

/** Returns the row of a pending request. */
export function pendingRow(request: ApprovalRequest, sequence: number): Readonly<Record<string, SqlValue>> {
  return {
    id: checkId(request.id, 'The id of an approval'),
    principal_key: principalKey(request.principal),
    run_id: checkId(request.runId, 'The run of an approval'),
    session_id: checkId(request.sessionId, 'The session of an approval'),
    status: 'pending',
    expires_at: request.expiresAt,
    created_sequence: sequence,
    sequence,
    request: jsonText(request, 'A request for approval'),
    answer: null,
    consumer: null,
  };
}
