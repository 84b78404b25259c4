import { canReconcile, textBlock } from '@ravi/kernel';
import type { ApprovalRequest, ReconcileAnswer, ReconcileContext, Tool, ToolExecutionResult } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { resumeCompletion } from '../completion/await-completion.ts';
import { askTool } from '../ask-tool.ts';
import { errorResult } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';

/**
 * Asks the tool whether an earlier attempt of the call took effect, if there is one without an outcome. The call passes if it did
 * not; if it did, the result of that attempt is the one of the call. A call that has a token for its result waits for it.
 */
export function reconcileGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  return pending.interrupted === undefined ? pending : reconcile(pending, pending.interrupted.record.argsDigest);
}

async function reconcile(pending: PendingCall, digestBefore: string): Promise<GateOutcome> {
  const { tool } = pending;
  // Asking about other arguments would answer another question.
  if (pending.argsDigest !== digestBefore) return stopUnknown(pending, 'its arguments are not the same now');
  const { completion } = pending.interrupted ?? {};
  if (completion !== undefined) return awaitResult(pending, completion);
  const answer = canReconcile(tool) ? await readAnswer(pending, tool) : 'unknown';
  if (answer === 'unknown') {
    if ((tool as Tool).idempotent !== true) return stopUnknown(pending, 'the tool could not find out');
    return repeat(pending);
  }
  if (!answer.happened) return repeat(pending);
  continueEarlier(pending);
  pending.earlierResult = answer.result ?? lostResult(pending);
  return pending;
}

// The tool has begun its work, and the outcome of that is the result of the call.
async function awaitResult(pending: PendingCall, request: ApprovalRequest): Promise<GateOutcome> {
  const { approvalHandler: handler } = pending.runtime;
  if (handler?.takesCompletions !== true) return stopUnknown(pending, 'there is no store for its result any more');
  continueEarlier(pending);
  pending.releaseLocks();
  pending.earlierResult = await resumeCompletion(pending, handler, request);
  return pending;
}

function continueEarlier(pending: PendingCall): void {
  pending.interrupted = undefined;
  pending.isJournaled = true;
  pending.hasBegun = true;
}

// From here on it is a call like any other: the next attempt.
function repeat(pending: PendingCall): PendingCall {
  pending.attempt = (pending.attempt ?? 1) + 1;
  pending.interrupted = undefined;
  return pending;
}

function lostResult({ name }: PendingCall): ToolExecutionResult {
  const text = `The call of ${name} took effect before its process ended. Its result was lost with the process`;
  return { content: [textBlock(text)], isError: false };
}

/** Ends a call whose earlier attempt may have taken effect. The journal then has this as its outcome. */
export function stopUnknown(pending: PendingCall, reason: string): GateStop {
  const { name } = pending;
  continueEarlier(pending);
  pending.isUnknown = true;
  const message =
    `The process ended while ${name} was running. Its outcome is unknown (${reason}), and it was not repeated. ` +
    'Check what has happened before you call it again';
  return { stop: errorResult('E_CALL_UNKNOWN', message) };
}

async function readAnswer(
  pending: PendingCall,
  tool: Tool & Required<Pick<Tool, 'reconcile'>>,
): Promise<ReconcileAnswer> {
  const { cancellation, runtime, name } = pending;
  try {
    const { args, idempotencyKey } = pending;
    const ask = (context: ReconcileContext) => tool.reconcile(args, idempotencyKey, context);
    const answer: unknown = await askTool(pending, 'reconcile', ask);
    if (isAnswer(answer)) return answer;
    throw new TypeError('reconcile must return { happened } or "unknown"');
  } catch (error) {
    cancellation.check();
    runtime.logger.error('a tool could not reconcile a call', { tool: name, error: errorText(error) });
    return 'unknown';
  }
}

function isAnswer(answer: unknown): answer is ReconcileAnswer {
  if (answer === 'unknown') return true;
  if (typeof answer !== 'object' || answer === null) return false;
  return typeof (answer as { readonly happened?: unknown }).happened === 'boolean';
}
