import { isKernelError, KernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRequest, ApprovalTrace, RiskAssessment } from '@ravi/kernel';
import { deepFreeze, errorText, readApproval } from '@ravi/support';
import type { ReadApproval } from '@ravi/support';
import { redact } from '../arguments/redact.ts';
import type { PendingCall } from '../pending-call.ts';

/** How a question went; without `answer` nobody gave a valid answer, and the record says why. */
export interface HumanAnswer {
  readonly answer: ReadApproval | undefined;
  readonly record: ApprovalTrace;
}

const digestCharacters = 16;

/** How many milliseconds an answer may take. */
export function approvalLimitOf({ session }: PendingCall): number {
  return session.durability?.approvalExpiryMs ?? session.policy.approvalTimeoutMs;
}

/** Whether the next question about the call was asked in an earlier process already. */
export function isAskedAlready(pending: PendingCall): boolean {
  return pending.session.durability?.asked.has(durableId(pending)) === true;
}

/**
 * Asks the handler about one call and waits, at most {@link approvalLimitOf}. The wait is charged to nobody's clock.
 * When nobody waits any more the handler's signal aborts.
 * @throws KernelError `E_CANCELLED` when the run is cancelled meanwhile
 */
export async function askHuman(
  pending: PendingCall,
  handler: ApprovalHandler,
  question: RiskAssessment & { readonly toolDigest: string },
): Promise<HumanAnswer> {
  pending.cancellation.check();
  const request = requestFor(pending, question);
  announce(pending, request);
  const started = pending.runtime.clock.monotonic();
  const resume = pending.session.humanClock.enter();
  const { durability } = pending.session;
  const goOn = durability?.answered.has(request.id) === false ? durability.onHumanWait(pending.callId) : undefined;
  try {
    const outcome = await wait(pending, handler, request);
    return answerOf(pending, request, outcome, pending.runtime.clock.monotonic() - started);
  } finally {
    resume();
    goOn?.();
  }
}

function requestFor(pending: PendingCall, question: RiskAssessment & { readonly toolDigest: string }): ApprovalRequest {
  const { session, runtime } = pending;
  const requestedAt = runtime.clock.now();
  const id = idOf(pending);
  pending.questions++;
  return deepFreeze({
    id,
    runId: session.runId,
    sessionId: session.sessionId,
    callId: pending.callId,
    principal: session.principal,
    tool: pending.name,
    description: pending.tool.description,
    risk: pending.risk,
    ...(question.summary === undefined ? {} : { summary: question.summary }),
    args: redact(pending.namedArgs),
    argsDigest: pending.argsDigest,
    toolDigest: question.toolDigest,
    requestedAt,
    expiresAt: requestedAt + approvalLimitOf(pending),
  });
}

function idOf(pending: PendingCall): string {
  const { session, argsDigest } = pending;
  if (session.durability !== undefined) return durableId(pending);
  // A script that is run again may ask with other arguments, and that is another question.
  return session.hasStableQuestions
    ? `${durableId(pending)}_${argsDigest.slice(-digestCharacters)}`
    : `approval_${crypto.randomUUID()}`;
}

// The same question has the same id in every process that goes on with the run.
function durableId({ session, callId, questions }: PendingCall): string {
  return `approval_${session.runId}_${callId}_${questions + 1}`;
}

function announce(pending: PendingCall, request: ApprovalRequest): void {
  const { hooks } = pending.runtime;
  if (!hooks.observes('approval-requested')) return;
  hooks.emit('approval-requested', { ...pending.scope, tool: request.tool, requestId: request.id, risk: request.risk });
}

type Outcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timeout' };

function wait(pending: PendingCall, handler: ApprovalHandler, request: ApprovalRequest): Promise<Outcome> {
  const withdrawal = new AbortController();
  return new Promise<Outcome>((resolve, reject) => {
    const settle = (done: () => void, reason?: KernelError): void => {
      deadline.cancel();
      unsubscribe();
      done();
      withdrawal.abort(reason);
    };
    const deadline = pending.runtime.deadlines.set(approvalLimitOf(pending), () =>
      settle(() => resolve({ kind: 'timeout' }), new KernelError('E_APPROVAL_TIMEOUT', 'Nobody answered in time')),
    );
    const unsubscribe = pending.cancellation.onCancel(() => {
      const { error } = pending.cancellation;
      settle(() => reject(error), error);
    });
    // In a promise chain, so that a handler that throws synchronously is caught like any other.
    Promise.resolve()
      .then(() => handler.request(request, { signal: withdrawal.signal }))
      .then(
        (answer: unknown) => settle(() => resolve({ kind: 'answered', answer })),
        (error: unknown) => settle(() => resolve({ kind: 'failed', error })),
      );
  });
}

function answerOf(pending: PendingCall, request: ApprovalRequest, outcome: Outcome, waitedMs: number): HumanAnswer {
  const unanswered = (decision: 'denied' | 'timeout', reason?: string): HumanAnswer => ({
    answer: undefined,
    record: recordOf(request, waitedMs, { decision, reason }),
  });
  // A timer may be late; what came after the limit counts as no answer all the same.
  if (outcome.kind === 'timeout' || waitedMs > approvalLimitOf(pending)) return unanswered('timeout');
  if (outcome.kind === 'failed' && isKernelError(outcome.error, 'E_APPROVAL_TIMEOUT')) return unanswered('timeout');
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

function recordOf(
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
