import { displayArguments } from './display/display-arguments.ts';
import type { ArgumentsDisplay } from './display/display-arguments.ts';
import { formOf } from '@ravi/support';
import type { FormField } from '@ravi/support';
import type {
  Approval,
  ApprovalChange,
  ApprovalDecision,
  ApprovalDecisionInput,
  ApprovalRequest,
  ApprovalStatus,
  JsonObject,
} from '@ravi/kernel';

/** An approval as approvers see it: without digests, and without values that an approver typed into arguments or a form. */
export interface ApprovalView extends Omit<ApprovalRequest, 'args' | 'argsDigest' | 'toolDigest' | 'completion'> {
  readonly status: ApprovalStatus;
  /** Sequence number of its last change; the id of that event in the stream. */
  readonly sequence: number;
  /** Redacted. Absent in lists and events if longer than 32,768 characters as JSON; read the single approval then. */
  readonly args?: JsonObject;
  /** The arguments as every surface shows them. Absent in lists and events if longer than 4,096 characters as JSON. */
  readonly display?: ArgumentsDisplay;
  /** Length of the arguments as JSON, in characters. */
  readonly argsLength: number;
  /** Fields of the form of a request for input; absent for any other request. */
  readonly form?: readonly FormField[];
  readonly answer?: DecisionView;
}

/** The decision on an approval, as approvers see it. */
export interface DecisionView extends Pick<ApprovalDecisionInput, 'reason' | 'approver' | 'scope'> {
  readonly decision: ApprovalDecision;
  /** Milliseconds since the Unix epoch. */
  readonly decidedAt: number;
  /** For `modified`: names of the changed arguments. Their new values may be secrets and are not shown. */
  readonly changedArguments?: readonly string[];
}

/** A line of the audit log of one approval. */
export type ChangeView = Omit<ApprovalChange, 'approvalId' | 'runId' | 'principal' | 'tool'>;

/** Options of {@link viewOf}. */
export interface ViewOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** True to include all arguments, however long. */
  readonly isWhole: boolean;
}

const maxListedLength = 32_768;
const maxDisplayedLength = 4_096;

/** Returns the view of an approval at the moment `now`; a pending one past its `expiresAt` is shown as expired or parked. */
export function viewOf(approval: Approval, { now, isWhole }: ViewOptions): ApprovalView {
  const { request, sequence, answer } = approval;
  const { args, argsDigest: _argsDigest, toolDigest: _toolDigest, completion: _completion, ...shown } = request;
  const argsLength = JSON.stringify(args).length;
  const isOverdue = approval.status === 'pending' && request.expiresAt <= now;
  const overdueStatus = request.onExpiry === 'park' ? 'parked' : 'expired';
  return {
    ...shown,
    status: isOverdue ? overdueStatus : approval.status,
    sequence,
    argsLength,
    ...(isWhole || argsLength <= maxListedLength ? { args } : {}),
    ...(isWhole || argsLength <= maxDisplayedLength ? { display: displayArguments(request) } : {}),
    ...(request.elicitation?.mode === 'form' ? { form: formOf(request.elicitation) } : {}),
    ...(answer === undefined ? {} : { answer: decisionView(answer, args) }),
  };
}

/** Returns a line of the audit log without the fields that its approval has too. */
export function changeView(change: ApprovalChange): ChangeView {
  const { approvalId: _approvalId, runId: _runId, principal: _principal, tool: _tool, ...shown } = change;
  return shown;
}

// What a person typed into a form is for the call alone.
function decisionView(
  { modifiedArgs, content: _content, ...shown }: NonNullable<Approval['answer']>,
  args: JsonObject,
): DecisionView {
  if (modifiedArgs === undefined) return shown;
  const names = new Set([...Object.keys(args), ...Object.keys(modifiedArgs)]);
  const isSame = (name: string): boolean => JSON.stringify(args[name]) === JSON.stringify(modifiedArgs[name]);
  return { ...shown, changedArguments: [...names].filter((name) => !isSame(name)) };
}
