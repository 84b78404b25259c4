import { isKernelError, textBlock } from '@ravi/kernel';
import type {
  ApprovalHandler,
  ApprovalRequest,
  JsonObject,
  JsonValue,
  RunEventOf,
  ToolExecutionResult,
} from '@ravi/kernel';
import { errorText, readApproval } from '@ravi/support';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalOutcome } from '../approval/ask-approver.ts';
import { enterHumanWait } from '../approval/request-approval.ts';
import type { PendingCall } from '../pending-call.ts';
import { isSuspension } from '../timing/cancellation.ts';
import type { Cancellation } from '../timing/cancellation.ts';

/** Wait of a call for its result from outside. */
export interface CompletionWait {
  /** Resolves when the request is stored. @throws KernelError if it could not be stored */
  readonly stored: Promise<void>;
  /** Result of the call; an error if none came in time. @throws KernelError `E_CANCELLED` */
  readonly result: Promise<ToolExecutionResult>;
  /** Begins the time that counts as a wait for people, in which the run may pause. */
  enter(): void;
}

type Outcome = RunEventOf<'completion-ended'>['outcome'];

interface Delivered {
  readonly outcome: Outcome;
  readonly result: ToolExecutionResult;
}

/** Stores the request of a call that waits for its result from outside, unless it is stored, and waits for the result. */
export function awaitCompletion(
  pending: PendingCall,
  handler: ApprovalHandler,
  request: ApprovalRequest,
  cancellation: Cancellation,
): CompletionWait {
  const { session, runtime, name: tool, scope } = pending;
  const { clock, hooks } = runtime;
  const stored = Promise.withResolvers<void>();
  const started = clock.monotonic();
  let state: 'new' | 'stored' | 'decided' = 'new';
  let isEntered = false;
  let resume: (() => void) | undefined;
  let endWait: (() => void) | undefined;

  function look(): void {
    if (isEntered && state === 'stored') endWait ??= enterHumanWait(pending, request);
  }

  function leave(): void {
    state = 'decided';
    resume?.();
    endWait?.();
    endWait = undefined;
  }

  function onStored(): void {
    stored.resolve();
    if (state === 'new') state = 'stored';
    look();
  }

  async function wait(): Promise<ToolExecutionResult> {
    const asked = { onStored, onDecided: leave };
    try {
      const outcome = await askApprover(pending, handler, request, { cancellation, limitMs: undefined, asked });
      if (outcome.kind === 'failed') stored.reject(outcome.error);
      const delivered = deliveredBy(pending, outcome, request);
      report(delivered.outcome);
      return delivered.result;
    } catch (error) {
      stored.reject(error);
      // The process that continues the run waits for the result.
      if (!isSuspension(error)) report('ended');
      throw error;
    } finally {
      leave();
    }
  }

  function report(outcome: Outcome): void {
    if (!hooks.observes('completion-ended')) return;
    const waitedMs = clock.monotonic() - started;
    hooks.emit({ type: 'completion-ended', ...scope, tool, completionId: request.id, outcome, waitedMs });
  }

  if (hooks.observes('completion-requested')) {
    const { id: completionId, expiresAt } = request;
    hooks.emit({ type: 'completion-requested', ...scope, tool, completionId, expiresAt });
  }
  stored.promise.catch(() => {});
  const result = wait();
  result.catch(() => {});
  return {
    stored: stored.promise,
    result,
    enter() {
      if (state === 'decided') return;
      isEntered = true;
      resume ??= session.humanClock.enter();
      look();
    },
  };
}

/** Waits for the result of a call whose tool ran in an earlier process. @throws KernelError `E_CANCELLED` */
export function resumeCompletion(
  pending: PendingCall,
  handler: ApprovalHandler,
  request: ApprovalRequest,
): Promise<ToolExecutionResult> {
  const wait = awaitCompletion(pending, handler, request, pending.cancellation);
  wait.enter();
  return wait.result;
}

function deliveredBy(pending: PendingCall, outcome: ApprovalOutcome, request: ApprovalRequest): Delivered {
  const { name, runtime } = pending;
  if (outcome.kind === 'failed' && isKernelError(outcome.error, 'E_APPROVAL_EXPIRED')) {
    const seconds = Math.round((request.expiresAt - request.requestedAt) / 1_000);
    const message = `${name} has begun work elsewhere, and got no result of it within ${seconds} seconds`;
    return { outcome: 'expired', result: failed(message, 'E_COMPLETION_EXPIRED') };
  }
  const answer = outcome.kind === 'answered' ? readApproval(outcome.answer, Infinity) : undefined;
  if (answer?.decision === 'approved' && answer.content !== undefined && 'args' in answer.content) {
    return deliveredAs(answer.content.args);
  }
  if (answer?.decision === 'denied') {
    return { outcome: 'ended', result: failed(`${name} gets no result: ${answer.reason ?? 'its token is withdrawn'}`) };
  }
  const error = outcome.kind === 'failed' ? errorText(outcome.error) : 'the handler gave no valid result';
  runtime.logger.error('a result from outside could not be received', { tool: name, error });
  const result = failed(`The result of ${name} could not be received because of an internal error`, 'E_INTERNAL');
  return { outcome: 'ended', result };
}

function deliveredAs(content: JsonObject): Delivered {
  const { result, error } = content;
  if (result !== undefined) return { outcome: 'result', result: resultOf(result) };
  const { message, code } = error as { readonly message: string; readonly code?: string };
  return { outcome: 'error', result: failed(message, code) };
}

function resultOf(value: JsonValue): ToolExecutionResult {
  if (typeof value === 'string') return { content: [textBlock(value)], isError: false };
  return { content: [textBlock(JSON.stringify(value))], isError: false, structuredContent: value };
}

function failed(message: string, code?: string): ToolExecutionResult {
  return { content: [{ type: 'error', message, ...(code === undefined ? {} : { code }) }], isError: true };
}
