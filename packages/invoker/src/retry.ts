import { isLocalTool } from '@ravi/kernel';
import type { InvocationError, ToolRetry } from '@ravi/kernel';
import { cutUtf8, errorText } from '@ravi/support';
import { isDeclaredSafe } from './gates/journal.ts';
import type { PendingCall } from './pending-call.ts';
import { readExecution } from './result/read-tool-result.ts';
import type { Execution } from './result/read-tool-result.ts';

/** Error of one attempt as observers see it. */
type ShownError = Pick<InvocationError, 'code' | 'message'>;

const maxMessageBytes = 500;
/** Longest back-off; a `retryAfterMs` of the other side may be longer. */
const maxBackOffMs = 30_000;

/**
 * Decides whether the tool of a call is executed again after this end of an execution, and records the failed attempt. Returns
 * the milliseconds to wait before that; `undefined` if the call ends. `leftMs` is what remains of its time limit.
 */
export function planRetry(pending: PendingCall, execution: Execution, leftMs: number | undefined): number | undefined {
  try {
    return plan(pending, execution, leftMs);
  } catch (error) {
    // Reading the failure failed, which the end of the call reports.
    pending.runtime.logger.error('a retry could not be planned', { tool: pending.name, error: errorText(error) });
    return undefined;
  }
}

function plan(pending: PendingCall, execution: Execution, leftMs: number | undefined): number | undefined {
  const settings = settingsOf(pending);
  if (settings === undefined || leftMs === undefined || !hasFailed(execution)) return undefined;
  const attempt = (pending.attempts?.length ?? 0) + 1;
  if (attempt > settings.maxRetries) return undefined;
  const { error, mayPass, hadNoEffect } = readExecution(pending, execution);
  if (error === undefined || !mayPass || !(hadNoEffect || isHarmlessTwice(pending))) return undefined;
  const delayMs = Math.max(error.retryAfterMs ?? 0, backOffMs(settings.delayMs, attempt));
  // The end of the time limit would hide the error that the tool gave.
  if (delayMs >= leftMs) return undefined;
  const shown = endAttempt(pending, error);
  if (shown !== undefined && pending.isReported('tool-retry')) {
    pending.report({ type: 'tool-retry', ...pending.scope, tool: pending.name, attempt, delayMs, error: shown });
  }
  return delayMs;
}

function hasFailed(execution: Execution): execution is Exclude<Execution, { readonly kind: 'timeout' }> {
  if (execution.kind === 'timeout') return false;
  return (
    execution.kind === 'threw' || (execution.result as { readonly isError?: unknown } | undefined)?.isError === true
  );
}

function settingsOf({
  tool,
  session,
  elicitations,
  hasCompletion,
  hasInnerCalls,
}: PendingCall): Required<ToolRetry> | undefined {
  const { maxToolRetries, toolRetryDelayMs } = session.policy;
  // A person is not asked twice, work outside is not started twice, and calls inside it are not made twice.
  if (maxToolRetries === 0 || elicitations > 0 || hasCompletion || hasInnerCalls) return undefined;
  if (!isLocalTool(tool)) return { maxRetries: maxToolRetries, delayMs: toolRetryDelayMs };
  if (tool.retry === false || tool.managesOwnTimeout === true) return undefined;
  return { maxRetries: tool.retry?.maxRetries ?? maxToolRetries, delayMs: tool.retry?.delayMs ?? toolRetryDelayMs };
}

function isHarmlessTwice(pending: PendingCall): boolean {
  if (!pending.hasBegun) return true;
  return (isLocalTool(pending.tool) && pending.tool.idempotent === true) || isDeclaredSafe(pending);
}

// Half of it is fixed and half random, so that calls which failed together are not repeated together.
function backOffMs(firstMs: number, attempt: number): number {
  const ms = Math.min(firstMs * 2 ** (attempt - 1), maxBackOffMs);
  return Math.round(ms / 2 + (ms / 2) * Math.random());
}

/**
 * Adds the end of the running attempt, if there is one, to the attempts of the call. Returns its error as observers see it:
 * with a short message.
 */
export function endAttempt(pending: PendingCall, error: InvocationError | undefined): ShownError | undefined {
  const { startedAt, started, attemptStarted, runtime } = pending;
  const shown =
    error === undefined ? undefined : { code: error.code, message: cutUtf8(error.message, maxMessageBytes) };
  if (attemptStarted === undefined) return shown;
  pending.attemptStarted = undefined;
  const attempt = Object.freeze({
    startedAt: startedAt + (attemptStarted - started),
    durationMs: runtime.clock.monotonic() - attemptStarted,
    ...(shown === undefined ? {} : { error: Object.freeze(shown) }),
  });
  pending.attempts = Object.freeze([...(pending.attempts ?? []), attempt]);
  return shown;
}
