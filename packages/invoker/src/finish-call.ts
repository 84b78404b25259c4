import { isKernelError, isLocalTool } from '@ravi/kernel';
import type { CallStatus, InterceptedCall, InvocationResult, ResultPoint } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { factsOf } from './content/shown-call.ts';
import { journalEntry, TraceEntry } from './call-record.ts';
import type { TraceOutcome } from './call-record.ts';
import { withdrawUnlessBegun } from './gates/journal.ts';
import type { PendingCall } from './pending-call.ts';
import { endAttempt } from './retry.ts';
import { stopUnknown } from './gates/reconcile.ts';
import { checkReplacement } from './result/check-output.ts';
import { readExecution } from './result/read-tool-result.ts';
import type { Execution } from './result/read-tool-result.ts';
import { shape } from './result/shape-result.ts';
import { confirmLease } from './scope/session-lease.ts';
import type { SessionLease } from './scope/session-lease.ts';
import { errorResult } from './error-results.ts';
import type { GateStop } from './error-results.ts';
import { isSuspension } from './timing/cancellation.ts';

/** End of a call: a gate stopped it, or its tool was executed. */
export type Ending = GateStop | Execution;

interface Outcome {
  readonly status: CallStatus;
  readonly result: InvocationResult;
  /** True refusal, if the caller must not learn it and gets another `result`. */
  readonly cause?: InvocationResult;
  /** Size of the result in bytes. */
  readonly bytes?: number;
}

/**
 * Builds the result of a finished call and releases its locks. Synchronous unless the result has to be stored, or another
 * process may have taken the run while this one was stopped: then the lease is confirmed first.
 */
export function finishCall(pending: PendingCall, ending: Ending): InvocationResult | Promise<InvocationResult> {
  const { lease } = pending.session;
  return lease === undefined || lease.isCertain ? finishHeld(pending, ending) : finishUncertain(pending, ending, lease);
}

async function finishUncertain(pending: PendingCall, ending: Ending, lease: SessionLease): Promise<InvocationResult> {
  try {
    await confirmLease(lease, pending.session, pending.runtime.clock);
    pending.cancellation.check();
  } catch (error) {
    return failCall(pending, error);
  }
  return finishHeld(pending, ending);
}

function finishHeld(pending: PendingCall, ending: Ending): InvocationResult | Promise<InvocationResult> {
  try {
    const result = toInvocationResult(pending, ending);
    if (result instanceof Promise) return awaitResult(pending, result);
    pending.leave();
    return result;
  } catch (error) {
    return failCall(pending, error);
  }
}

/** Ends a call after a cancellation or a failure of the invoker itself. @throws KernelError `E_CANCELLED` when it was cancelled */
export async function failCall(pending: PendingCall, error: unknown): Promise<InvocationResult> {
  try {
    if (isKernelError(error, 'E_CANCELLED') && pending.cancellation.isCancelled) {
      await withdrawUnlessBegun(pending);
      await settle(pending, { status: 'cancelled', result: errorResult(error.code, error.message) });
      throw error;
    }
    pending.runtime.logger.error('the invoker itself failed', { tool: pending.name, error: errorText(error) });
    const result = errorResult('E_INTERNAL', `The call of ${pending.name} failed with an internal error`);
    return await settle(pending, { status: 'error', result });
  } finally {
    pending.leave();
  }
}

async function awaitResult(pending: PendingCall, result: Promise<InvocationResult>): Promise<InvocationResult> {
  try {
    return await result;
  } catch (error) {
    return await failCall(pending, error);
  } finally {
    pending.leave();
  }
}

function toInvocationResult(pending: PendingCall, ending: Ending): InvocationResult | Promise<InvocationResult> {
  if ('stop' in ending) {
    const stop = stopOf(pending, ending);
    const { cause } = ending;
    return settle(pending, { status: stop.status, result: stop, ...(cause === undefined ? {} : { cause }) });
  }
  if (ending.kind === 'timeout') {
    const message = `The tool ${pending.name} took longer than ${ending.limitMs} ms (callTimeoutMs)`;
    return settle(pending, { status: 'timeout', result: errorResult('E_CALL_TIMEOUT', message, { retryable: true }) });
  }
  const shaping = shape(pending, readExecution(pending, ending));
  return shaping instanceof Promise
    ? shaping.then(({ result, bytes }) => settle(pending, { status: result.status, result, bytes }))
    : settle(pending, { status: shaping.result.status, ...shaping });
}

// A refusal says nothing about an earlier attempt of the call, which may have taken effect.
function stopOf(pending: PendingCall, { stop }: GateStop): InvocationResult {
  const { interrupted, name, runtime } = pending;
  const tool = runtime.registry.get(name);
  const isOpen = interrupted !== undefined && !(tool !== undefined && isLocalTool(tool) && tool.idempotent === true);
  return isOpen ? stopUnknown(pending, stop.error?.message ?? 'it may not run now').stop : stop;
}

// The one end of every call: interceptors of results, trace, journal and `tool-result`.
function settle(pending: PendingCall, outcome: Outcome): InvocationResult | Promise<InvocationResult> {
  // The arguments of a call that stopped early have not been read yet; unreadable ones count as no arguments.
  pending.readOwnArguments();
  const { hooks } = pending.runtime;
  const point = pointOf(outcome);
  if (point === undefined || !hooks.finishes(point)) return record(pending, outcome);
  const found = outcome.cause ?? outcome.result;
  return hooks.finish(point, interceptedCall(pending), found).then((result) => {
    if (result === found) return record(pending, outcome);
    const { cause, ...rest } = outcome;
    return record(pending, {
      ...rest,
      status: cause?.status ?? rest.status,
      result: checkReplacement(pending, result),
    });
  });
}

function record(pending: PendingCall, outcome: Outcome): InvocationResult | Promise<InvocationResult> {
  if (pending.attempts !== undefined) endAttempt(pending, outcome.result.error);
  const entry = new TraceEntry(pending, outcome.status, withOutcome({}, outcome));
  pending.session.record(entry);
  // Before the outcome: once that is on record, the call is not made again.
  const saving = pending.session.storedScratchpad?.save();
  return saving === undefined ? deliver(pending, outcome, entry) : saving.then(() => deliver(pending, outcome, entry));
}

function deliver(
  pending: PendingCall,
  outcome: Outcome,
  entry: TraceEntry,
): InvocationResult | Promise<InvocationResult> {
  if (!isForJournal(pending, outcome)) return emitToolResult(pending, outcome, entry);
  return writeToJournal(pending, outcome, entry).then(() => emitToolResult(pending, outcome, entry));
}

// Adds the outcome to a trace entry or an event. Written into an object made for it, not copied.
function withOutcome<Line extends object>(line: Line & TraceOutcome, { result, bytes }: Outcome): Line & TraceOutcome {
  if (result.error !== undefined) line.errorCode = result.error.code;
  if (result.artifactRef !== undefined) line.artifactRef = result.artifactRef;
  if (bytes !== undefined) line.bytes = bytes;
  return line;
}

// A cancelled call of a durable run may or may not have had its effect, so the journal keeps it as started. Once the lease is
// lost, the journal belongs to another process.
function isForJournal(pending: PendingCall, { status }: Outcome): boolean {
  if (pending.session.lease?.isLost === true) return false;
  return pending.session.durability === undefined ? pending.isJournaled : status !== 'cancelled';
}

async function writeToJournal(pending: PendingCall, { result }: Outcome, entry: TraceEntry): Promise<void> {
  try {
    await pending.journal?.finished(journalEntry(pending, entry.record), result);
  } catch (error) {
    // The call has run: its result is delivered, and a resumed run will find it started without an outcome.
    pending.runtime.logger.error('journal lost an outcome', { tool: pending.name, error: errorText(error) });
  }
}

function emitToolResult(pending: PendingCall, outcome: Outcome, { durationMs }: TraceEntry): InvocationResult {
  const { hooks } = pending.runtime;
  const { name: tool, caller } = pending;
  const { status, result, cause } = outcome;
  if ((status === 'denied' || cause !== undefined) && hooks.observes('tool-denied')) {
    const { code = 'E_TOOL_NOT_ALLOWED', message: reason = '' } = (cause ?? result).error ?? {};
    const shown = cause === undefined ? {} : { shownAs: result.error?.code ?? result.status };
    hooks.emit({ type: 'tool-denied', ...pending.scope, tool, code, reason, ...shown });
  }
  if (pending.isReported('tool-result')) {
    const { argsPreview } = pending;
    const repeated = pending.attempts === undefined ? {} : { attempts: pending.attempts };
    const isSuspended = status === 'cancelled' && isSuspension(pending.cancellation.error);
    const about = { ...pending.scope, tool, caller, ...(isSuspended ? { isSuspended } : {}) };
    const event = { type: 'tool-result', ...about, status, durationMs, argsPreview, ...repeated } as const;
    pending.report(withOutcome(event, outcome));
  }
  return result;
}

// A cancelled call has no caller left that receives a result.
function pointOf({ status: shownStatus, result, cause }: Outcome): ResultPoint | undefined {
  const status = cause?.status ?? shownStatus;
  if (status === 'cancelled') return undefined;
  if (status === 'ok') return 'after-tool';
  const code = (cause ?? result).error?.code;
  if (code === 'E_BUDGET_EXHAUSTED') return 'budget-exceeded';
  if (code === 'E_TOOLS_DISABLED') return 'tools-disabled';
  return status === 'denied' ? 'permission-denied' : 'tool-error';
}

function interceptedCall(pending: PendingCall): InterceptedCall {
  const { namedArgs: args, started, runtime } = pending;
  const durationMs = runtime.clock.monotonic() - started;
  return { ...factsOf(pending), args, durationMs, attempts: (pending.attempts?.length ?? 0) + 1 };
}
