import type {
  Approval,
  ApprovalChange,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalDecisionInput,
  ApprovalStatus,
  JsonObject,
} from '@ravi/kernel';

/** An approval as approvers see it: without digests, and without the values that somebody typed while deciding. */
export interface ApprovalView extends Omit<ApprovalRequest, 'args' | 'argsDigest' | 'toolDigest'> {
  readonly status: ApprovalStatus;
  /** Of its last change; the id of that event in the stream. */
  readonly sequence: number;
  /** Redacted; absent when they are longer than a list should carry: ask for this one approval then. */
  readonly args?: JsonObject;
  /** Length of the arguments as JSON, in characters. */
  readonly argsLength: number;
  readonly answer?: AnswerView;
}

/** What somebody decided. */
export interface AnswerView extends Pick<ApprovalDecisionInput, 'reason' | 'approver' | 'scope'> {
  readonly decision: ApprovalDecision;
  /** Milliseconds since the Unix epoch. */
  readonly decidedAt: number;
  /** For `modified`: the names of the arguments that became others. Their values may be secrets. */
  readonly changedArguments?: readonly string[];
}

/** A line of the audit log of one approval. */
export type ChangeView = Omit<ApprovalChange, 'approvalId' | 'runId' | 'principal' | 'tool'>;

const maxListedLength = 32_768;

/** An approval at the moment `now`; a pending one whose time is over counts as expired. */
export function viewOf(approval: Approval, { now, isWhole }: ViewOptions): ApprovalView {
  const { request, sequence, answer } = approval;
  const { args, argsDigest: _argsDigest, toolDigest: _toolDigest, ...shown } = request;
  const argsLength = JSON.stringify(args).length;
  const isOverdue = approval.status === 'pending' && request.expiresAt <= now;
  return {
    ...shown,
    status: isOverdue ? 'expired' : approval.status,
    sequence,
    argsLength,
    ...(isWhole || argsLength <= maxListedLength ? { args } : {}),
    ...(answer === undefined ? {} : { answer: answerView(answer, args) }),
  };
}

/** A line of the audit log without what the approval says itself. */
export function changeView(change: ApprovalChange): ChangeView {
  const { approvalId: _approvalId, runId: _runId, principal: _principal, tool: _tool, ...shown } = change;
  return shown;
}

interface ViewOptions {
  readonly now: number;
  /** All arguments, however long they are. */
  readonly isWhole: boolean;
}

function answerView({ modifiedArgs, ...shown }: NonNullable<Approval['answer']>, args: JsonObject): AnswerView {
  if (modifiedArgs === undefined) return shown;
  const names = new Set([...Object.keys(args), ...Object.keys(modifiedArgs)]);
  const isSame = (name: string): boolean => JSON.stringify(args[name]) === JSON.stringify(modifiedArgs[name]);
  return { ...shown, changedArguments: [...names].filter((name) => !isSame(name)) };
}
