import { isKernelError, isLocalTool } from '@ravi/kernel';
import type {
  ApprovalHandler,
  ApprovalRequest,
  ApprovalRequestOptions,
  ApprovalTrace,
  BlobScope,
  EditProblem,
  JsonObject,
  RequestedArtifact,
  RiskAssessment,
} from '@ravi/kernel';
import { deepFreeze, errorText, readApproval } from '@ravi/support';
import type { ReadApproval } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { readVerified } from '../content/verified-content.ts';
import { askApprover } from './ask-approver.ts';
import type { ApprovalOutcome } from './ask-approver.ts';
import { checkEdit } from './check-edit.ts';
import { findArtifactProblems } from './edit-artifacts.ts';
import { showArguments } from './shown-arguments.ts';
import type { ShownArguments } from './shown-arguments.ts';

/** Result of a request for approval. `answer` is absent if there was no valid decision; the record says why. */
export interface ApprovalReply {
  readonly answer: ReadApproval | undefined;
  readonly record: ApprovalTrace;
  /** The arguments as the approver saw them. */
  readonly shown: ShownArguments;
}

const digestCharacters = 16;
const granted: ReadApproval = { decision: 'approved', isForRun: false };

/** Returns how many milliseconds the approver has for a decision. */
export function approvalLimitOf({ session }: PendingCall): number {
  return session.approvalExpiryMs ?? session.policy.approvalTimeoutMs;
}

// The run is stored while the request waits, so the wait needs no limit.
function isParked({ session }: PendingCall): boolean {
  return session.onApprovalExpiry === 'park';
}

/** True if an earlier process has already requested the next approval of this call. */
export function isAlreadyRequested(pending: PendingCall): boolean {
  const { durability, grants } = pending.session;
  return durability?.requestedApprovals.has(durableId(pending)) === true || grants.hasAsked(pending.callId);
}

/**
 * Requests approval of one call from the handler and waits for at most {@link approvalLimitOf}, or without a limit if the
 * session parks requests. The wait counts against no time limit. The signal of the handler aborts once the decision is no longer needed.
 * @throws KernelError `E_CANCELLED` when the run is cancelled during the wait
 */
export async function requestApproval(
  pending: PendingCall,
  handler: ApprovalHandler,
  question: RiskAssessment & { readonly toolDigest: string },
): Promise<ApprovalReply> {
  pending.cancellation.check();
  const shown = shownArguments(pending);
  const request = requestFor(pending, question, shown);
  emitRequest(pending, request);
  const started = pending.runtime.clock.monotonic();
  const resume = pending.session.humanClock.enter();
  let endHumanWait: (() => void) | undefined;
  let isOver = false;
  let isStored = false;
  // A run that paused for a request that is not stored yet, or whose decision is consumed, would never wake.
  const onStored = (): void => {
    isStored = true;
    if (!isOver) endHumanWait ??= enterHumanWait(pending, request);
  };
  const onDecided = (): void => {
    isOver = true;
    endHumanWait?.();
    endHumanWait = undefined;
  };
  try {
    const outcome = await wait(pending, handler, request, { shown, onStored, onDecided, isStored: () => isStored });
    return { ...answerOf(pending, request, outcome, pending.runtime.clock.monotonic() - started), shown };
  } finally {
    resume();
    onDecided();
  }
}

/** Reports that a call waits for this request, so that its run can pause. The returned function ends the wait. */
export function enterHumanWait({ session, callId, isInnerCall }: PendingCall, request: ApprovalRequest): () => void {
  if (isInnerCall) return (): void => undefined;
  const { durability } = session;
  const { id, tool, risk, expiresAt, onExpiry, completion } = request;
  const how = { ...(onExpiry && { onExpiry }), ...(completion && { isCompletion: true }) };
  const awaited = { id, callId, tool, risk, expiresAt, ...how };
  if (durability?.decidedApprovals.has(id) === true) return () => undefined;
  return session.enterHumanWait(callId, [awaited]);
}

/** Returns the arguments of a call as approvers see them. */
export function shownArguments({ tool, namedArgs, runtime }: PendingCall): ShownArguments {
  return showArguments(namedArgs, isLocalTool(tool) ? tool.inputSchema : {}, runtime.findSecrets);
}

/** Returns the request for approval of a call in its current state. */
export function requestFor(
  pending: PendingCall,
  question: RiskAssessment & { readonly toolDigest: string },
  shown: ShownArguments,
): ApprovalRequest {
  const id = idOf(pending, question.toolDigest);
  pending.approvalRequests++;
  return deepFreeze({
    id,
    ...requestFields(pending, shown, approvalLimitOf(pending)),
    risk: pending.risk,
    ...(question.summary === undefined ? {} : { summary: question.summary }),
    toolDigest: question.toolDigest,
    ...(isParked(pending) ? { onExpiry: 'park' as const } : {}),
  });
}

/** Returns the fields that a request of a call has for every reason. */
export function requestFields(
  pending: PendingCall,
  shown: ShownArguments,
  limitMs: number,
): Omit<ApprovalRequest, 'id' | 'risk' | 'toolDigest'> {
  const { session, runtime } = pending;
  const requestedAt = runtime.clock.now();
  return {
    runId: session.runId,
    ...(session.reportedRunId === session.runId ? {} : { partOfRunId: session.reportedRunId }),
    sessionId: session.sessionId,
    callId: pending.callId,
    principal: session.principal,
    ...(session.agent === undefined ? {} : { agent: session.agent }),
    tool: pending.name,
    description: pending.tool.description,
    args: shown.args,
    ...(shown.hidden.size === 0 ? {} : { hidden: [...shown.hidden.keys()] }),
    argsDigest: pending.argsDigest,
    requestedAt,
    expiresAt: requestedAt + limitMs,
  };
}

function idOf(pending: PendingCall, toolDigest: string): string {
  const { session, argsDigest } = pending;
  if (pending.approvalId !== undefined && pending.approvalRequests === 0) return pending.approvalId;
  if (session.durability !== undefined) return durableId(pending);
  // Without a journal nothing knows that the call has run already, so a repeated call needs a decision of its own.
  if (!session.hasStableApprovalIds || pending.journal === undefined) return `approval_${crypto.randomUUID()}`;
  // Other arguments, or another definition of the tool in the process that continues the run, make a different request.
  const digests = [argsDigest, toolDigest].map((digest) => digest.slice(-digestCharacters));
  return [durableId(pending), ...digests].join('_');
}

// The same request has the same id in every process that resumes the run.
function durableId({ session, callId, approvalRequests }: PendingCall): string {
  return `approval_${session.runId}_${callId}_${approvalRequests + 1}`;
}

/** Reports a request to observers. */
export function emitRequest(pending: PendingCall, { id, tool, risk, elicitation }: ApprovalRequest): void {
  const { hooks } = pending.runtime;
  if (!hooks.observes('approval-requested')) return;
  const mode = elicitation === undefined ? {} : { elicitation: elicitation.mode };
  hooks.emit({ type: 'approval-requested', ...pending.scope, tool, requestId: id, risk, ...mode });
}

function wait(
  pending: PendingCall,
  handler: ApprovalHandler,
  request: ApprovalRequest,
  { shown, isStored, ...progress }: WaitOptions,
): Promise<ApprovalOutcome> {
  const { session, runtime, tool, namedArgs: original } = pending;
  const checks = { tool, schemas: runtime.schemas, maxArgumentBytes: session.policy.maxArgumentBytes };
  const checkArguments = async (args: JsonObject): Promise<readonly EditProblem[]> => {
    const problems = checkEdit(args, { original, shown }, checks);
    if (problems.length > 0) return problems;
    const owns = (scope: BlobScope): boolean => session.owns(scope);
    return findArtifactProblems(args, tool, { owns, store: runtime.artifactStore });
  };
  // The store decides it with the approval for the run, unless it was denied before. A resumed run finds the same decision.
  const isGranted = (): boolean => !isStored() && session.grants.covers(request.tool, request.toolDigest, request.risk);
  return askApprover(pending, handler, request, {
    cancellation: pending.cancellation,
    limitMs: isParked(pending) ? undefined : approvalLimitOf(pending),
    ...(session.durability === undefined && !session.grants.hasAsked(pending.callId) ? { isGranted } : {}),
    asked: { checkArguments, ...progress, artifacts: requestedArtifacts(pending) },
  });
}

interface WaitOptions extends Pick<ApprovalRequestOptions, 'onStored' | 'onDecided'> {
  readonly shown: ShownArguments;
  isStored(): boolean;
}

function requestedArtifacts({ artifactStats, runtime: { artifactStore } }: PendingCall): readonly RequestedArtifact[] {
  if (artifactStats === undefined || artifactStore === undefined) return [];
  return [...artifactStats.values()].map((stat) => {
    const { ref, mediaType, bytes, sha256 } = stat;
    return { ref, mediaType, bytes, sha256, read: () => readVerified(artifactStore, stat) };
  });
}

function answerOf(
  pending: PendingCall,
  request: ApprovalRequest,
  outcome: ApprovalOutcome,
  waitedMs: number,
): Omit<ApprovalReply, 'shown'> {
  const unanswered = (decision: 'denied' | 'timeout', reason?: string): Omit<ApprovalReply, 'shown'> => ({
    answer: undefined,
    record: recordOf(request, waitedMs, { decision, reason }),
  });
  // A timer may fire late; a decision after the limit does not count, even if it arrives before the timer.
  const isLate = !isParked(pending) && waitedMs > approvalLimitOf(pending);
  if (outcome.kind === 'timeout' || isLate) return unanswered('timeout');
  if (outcome.kind === 'granted') {
    return { answer: granted, record: recordOf(request, waitedMs, { decision: 'run-scope' }) };
  }
  if (outcome.kind === 'failed' && isKernelError(outcome.error, 'E_APPROVAL_EXPIRED')) return unanswered('timeout');
  if (outcome.kind === 'failed') {
    pending.runtime.logger.error('approval handler failed', { tool: pending.name, error: errorText(outcome.error) });
    return unanswered('denied', 'the approval handler failed');
  }
  const answer = readApproval(outcome.answer, pending.session.policy.maxArgumentBytes);
  if (answer === undefined) {
    pending.runtime.logger.error('approval handler gave no valid decision', { tool: pending.name });
    return unanswered('denied', 'the approval handler gave no valid decision');
  }
  return { answer, record: recordOf(request, waitedMs, answer) };
}

/** Returns the decision of a request as observers see it. */
export function recordOf(
  request: ApprovalRequest,
  waitedMs: number,
  answer: {
    readonly decision: ApprovalTrace['decision'];
    readonly approver?: string | undefined;
    readonly reason?: string | undefined;
  },
): ApprovalTrace {
  const { decision, approver, reason } = answer;
  return Object.freeze({
    requestId: request.id,
    decision,
    waitedMs,
    ...(approver === undefined ? {} : { approver }),
    ...(reason === undefined ? {} : { reason }),
  });
}
