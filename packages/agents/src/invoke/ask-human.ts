import type { ApprovalHandler, ApprovalRecord, ApprovalRequest, RiskAssessment } from '@ravi/kernel';
import { errorText } from '../error-text.ts';
import { deepFreeze } from '../arguments/deep-freeze.ts';
import { redact } from '../arguments/redact.ts';
import { readApproval } from './read-approval.ts';
import type { PendingCall } from './pending-call.ts';
import type { ReadApproval } from './read-approval.ts';

/** How a question went; without `answer` nobody gave a valid answer, and the record says why. */
export interface HumanAnswer {
  readonly answer: ReadApproval | undefined;
  readonly record: ApprovalRecord;
}

/**
 * Asks the handler about one call and waits, at most `approvalTimeoutMs`. The wait is charged to nobody's clock.
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
  try {
    const outcome = await wait(pending, handler, request);
    return answerOf(pending, request, outcome, pending.runtime.clock.monotonic() - started);
  } finally {
    resume();
  }
}

function requestFor(pending: PendingCall, question: RiskAssessment & { readonly toolDigest: string }): ApprovalRequest {
  const { session, runtime } = pending;
  const requestedAt = runtime.clock.now();
  return deepFreeze({
    id: `approval_${crypto.randomUUID()}`,
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
    expiresAt: requestedAt + session.policy.approvalTimeoutMs,
  });
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
    const settle = (done: () => void): void => {
      deadline.cancel();
      forget();
      done();
      withdrawal.abort();
    };
    const deadline = pending.runtime.deadlines.set(pending.session.policy.approvalTimeoutMs, () =>
      settle(() => resolve({ kind: 'timeout' })),
    );
    const forget = pending.cancellation.onCancel(() => settle(() => reject(pending.cancellation.error)));
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
  const { policy } = pending.session;
  const unanswered = (decision: 'denied' | 'timeout', reason?: string): HumanAnswer => ({
    answer: undefined,
    record: recordOf(request, waitedMs, { decision, reason }),
  });
  // A timer may be late; what came after the limit counts as no answer all the same.
  if (outcome.kind === 'timeout' || waitedMs > policy.approvalTimeoutMs) return unanswered('timeout');
  if (outcome.kind === 'failed') {
    pending.runtime.logger.error('approval handler failed', { tool: pending.name, error: errorText(outcome.error) });
    return unanswered('denied', 'the approval handler failed');
  }
  const answer = readApproval(outcome.answer, policy.maxArgumentBytes);
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
    readonly decision: ApprovalRecord['decision'];
    readonly approver?: string | undefined;
    readonly reason?: string | undefined;
  },
): ApprovalRecord {
  const { decision, approver, reason } = answer;
  return Object.freeze({
    requestId: request.id,
    decision,
    waitedMs,
    ...(approver === undefined ? {} : { approver }),
    ...(reason === undefined ? {} : { reason }),
  });
}
