import { approvalTransitions } from '@ravi/kernel';
import type { Approval, RecordedDecision, ApprovalChange, ApprovalRequest, ApprovalStatus } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { choiceIn, numberIn, objectIn, optionalObjectIn, textIn } from './rows.ts';
import type { SqlRow, SqlRunner, SqlValue, TransactionOptions } from './database.ts';
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

/** Statement that stores the number of an entry of the audit log in the row of its approval. */
export interface NumberedStatement {
  /** Returns the text, in which `sequence` is an expression for the number. Its parameters are `$1`, `$2`… */
  text(sequence: string): string;
  readonly values: readonly SqlValue[];
}

/** Adds an entry to the audit log, runs the statement that stores its number, and returns the rows of the statement. */
export async function withChange(
  sql: SqlRunner,
  request: ApprovalRequest,
  details: ChangeDetails,
  { text, values }: NumberedStatement,
): Promise<readonly SqlRow[]> {
  const { id: approvalId, runId, principal, tool } = request;
  const record = jsonText({ approvalId, runId, principal, tool, ...details }, 'A change of an approval');
  const entry = [approvalId, runId, principalKey(principal), record];
  const next = values.length + 1;
  // One round trip where the database can do both.
  if (sql.dialect.insertsInWith) {
    const statement = text('(SELECT sequence FROM change)');
    return sql.all(`WITH change AS (${insertionOf(next)}) ${statement}`, [...values, ...entry]);
  }
  const [row] = await sql.all(insertionOf(1), entry);
  return sql.all(text(`$${next}`), [...values, numberIn(row ?? {}, 'sequence')]);
}

function insertionOf(parameter: number): string {
  const places = [0, 1, 2, 3].map((index) => `$${parameter + index}`).join(', ');
  return `INSERT INTO ${changes.table} (approval_id, run_id, principal_key, record) VALUES (${places}) RETURNING sequence`;
}

/** Returns the statement that inserts the row of a pending request, and returns it if its id is free. */
export function pendingInsertion(request: ApprovalRequest): NumberedStatement {
  const row: Readonly<Record<string, SqlValue>> = {
    id: checkId(request.id, 'The id of an approval'),
    principal_key: principalKey(request.principal),
    run_id: checkId(request.runId, 'The run of an approval'),
    session_id: checkId(request.sessionId, 'The session of an approval'),
    status: 'pending',
    expires_at: request.expiresAt,
    request: jsonText(request, 'A request for approval'),
    answer: null,
    consumer: null,
  };
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  return {
    text: (sequence) =>
      `INSERT INTO ${approvals.table} (${[...columns, 'created_sequence', 'sequence'].join(', ')}) ` +
      `VALUES (${[...places, sequence, sequence].join(', ')}) ON CONFLICT DO NOTHING RETURNING *`,
    values: Object.values(row),
  };
}
