import { isKernelError, KernelError } from '@ravi/kernel';
import type {
  ApprovalHandler,
  ApprovalRequest,
  ApprovalTrace,
  EditProblem,
  ElicitationRequest,
  ElicitationResult,
  JsonObject,
} from '@ravi/kernel';
import { deepFreeze, elicitationProblems, errorText, readApproval, readElicitation } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import type { Cancellation } from '../timing/cancellation.ts';
import { toolDigest } from '../toolbox/freeze-tool.ts';
import { askApprover } from './ask-approver.ts';
import type { ApprovalOutcome } from './ask-approver.ts';
import { emitRequest, recordOf, requestFields, shownArguments } from './request-approval.ts';

/** Maximum requests of one call, so that a tool cannot ask forever. */
const maxRequests = 20;

/**
 * Asks a person for input to a running call. The request goes to the approval handler, but it does not ask for permission: no rule
 * and no approval for the run answers it. It expires after `approvalTimeoutMs` of the policy. A run does not pause for it, because
 * the call is running.
 * @throws KernelError `E_UNSUPPORTED` without a person to ask, `E_REQUEST_INVALID` for a request that cannot be shown,
 * `E_BUDGET_EXHAUSTED` after 20 requests, `E_CANCELLED`
 */
export async function elicit(
  pending: PendingCall,
  given: ElicitationRequest,
  cancellation: Cancellation,
): Promise<ElicitationResult> {
  cancellation.check();
  const { runtime, session } = pending;
  const { approvalHandler: handler } = runtime;
  if (handler === undefined) throw new KernelError('E_UNSUPPORTED', 'There is no person to ask: no approval handler');
  const read = readElicitation(given);
  if ('problem' in read) {
    throw new KernelError('E_REQUEST_INVALID', `${pending.name} asks for input, but ${read.problem}`);
  }
  if (pending.elicitations >= maxRequests) {
    throw new KernelError('E_BUDGET_EXHAUSTED', `A call may ask for input at most ${maxRequests} times`);
  }
  pending.elicitations++;
  // Not the longer limit of a run that pauses for its approvals: the call keeps its process and its locks.
  const { approvalTimeoutMs: limitMs } = session.policy;
  const request = requestFor(pending, read.request, limitMs);
  emitRequest(pending, request);
  const started = runtime.clock.monotonic();
  const resume = session.humanClock.enter();
  try {
    const outcome = await ask(pending, handler, request, { cancellation, limitMs });
    const waitedMs = runtime.clock.monotonic() - started;
    const limited = waitedMs > limitMs ? ({ kind: 'timeout' } as const) : outcome;
    const { result, ...answer } = resultOf(pending, request, limited);
    emitDecision(pending, request, recordOf(request, waitedMs, answer));
    return result;
  } finally {
    resume();
  }
}

function requestFor(pending: PendingCall, elicitation: ElicitationRequest, limitMs: number): ApprovalRequest {
  return deepFreeze({
    id: `approval_${crypto.randomUUID()}`,
    ...requestFields(pending, shownArguments(pending), limitMs),
    risk: 'safe',
    toolDigest: toolDigest(pending.tool),
    elicitation,
  });
}

function ask(
  pending: PendingCall,
  handler: ApprovalHandler,
  request: ApprovalRequest,
  how: { readonly cancellation: Cancellation; readonly limitMs: number },
): Promise<ApprovalOutcome> {
  const checkArguments = async (content: JsonObject): Promise<readonly EditProblem[]> => problemsOf(request, content);
  return askApprover(pending, handler, request, { ...how, asked: { checkArguments } });
}

function problemsOf({ elicitation }: ApprovalRequest, content: JsonObject | undefined): readonly EditProblem[] {
  return elicitation === undefined ? [] : elicitationProblems(elicitation, content);
}

interface Answer extends Pick<ApprovalTrace, 'decision'> {
  readonly result: ElicitationResult;
  readonly approver?: string;
  readonly reason?: string;
}

function resultOf(pending: PendingCall, request: ApprovalRequest, outcome: ApprovalOutcome): Answer {
  const cancelled: Answer = { result: { action: 'cancel' }, decision: 'timeout' };
  const failed = (reason: string): Answer => ({ ...cancelled, decision: 'denied', reason });
  if (outcome.kind === 'failed') {
    const { error } = outcome;
    if (isKernelError(error, 'E_UNSUPPORTED')) throw error;
    if (isKernelError(error, 'E_APPROVAL_EXPIRED')) return cancelled;
    pending.runtime.logger.error('approval handler failed', { tool: pending.name, error: errorText(error) });
    return failed('the approval handler failed');
  }
  if (outcome.kind !== 'answered') return cancelled;
  const answer = readApproval(outcome.answer, pending.session.policy.maxArgumentBytes);
  const invalid = (problem: string): Answer => {
    pending.runtime.logger.error('approval handler gave no valid answer', { tool: pending.name, problem });
    return failed('the approval handler gave no valid answer');
  };
  if (answer === undefined || answer.decision === 'modified') return invalid('it does not answer a request for input');
  const { decision, content, approver, reason } = answer;
  const by = { ...(approver === undefined ? {} : { approver }), ...(reason === undefined ? {} : { reason }) };
  // A store denies a request that was withdrawn, and has no approver then.
  if (decision !== 'approved') {
    return { result: { action: approver === undefined ? 'cancel' : 'decline' }, decision, ...by };
  }
  if (content !== undefined && 'problem' in content) return invalid(content.problem);
  const [problem] = problemsOf(request, content?.args);
  if (problem !== undefined) return invalid(`${problem.pointer} ${problem.message}`.trim());
  const accepted = { action: 'accept' as const, ...(content === undefined ? {} : { content: content.args }) };
  return { result: accepted, decision, ...by };
}

function emitDecision(pending: PendingCall, request: ApprovalRequest, approval: ApprovalTrace): void {
  const { hooks } = pending.runtime;
  if (!hooks.observes('approval-decided') || request.elicitation === undefined) return;
  const { mode: elicitation } = request.elicitation;
  hooks.emit({ type: 'approval-decided', ...pending.scope, tool: pending.name, approval, elicitation });
}
