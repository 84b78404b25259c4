import type { InterceptedCall, InvocationResult, ResultPoint } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { PendingCall } from './pending-call.ts';
import { journalEntry } from './record.ts';
import { TraceEntry } from './trace-entry.ts';
import type { TraceOutcome } from './trace-entry.ts';

/** A call that has ended, one way or another. */
export interface Finished {
  readonly status: 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled';
  readonly result: InvocationResult;
  /** Size of the result in bytes. */
  readonly bytes?: number;
}

/** Tells observers that a call begins. */
export function startCall(pending: PendingCall): void {
  const { hooks } = pending.runtime;
  if (!hooks.observes('tool-start')) return;
  pending.readOwnArguments();
  const { scope, name: tool, caller, argsPreview } = pending;
  hooks.emit('tool-start', { ...scope, tool, caller, argsPreview });
}

/** The one end of every call: interceptors of results, trace, journal, progress (step 9) and `tool-end`. */
export function finishCall(pending: PendingCall, finished: Finished): InvocationResult | Promise<InvocationResult> {
  // A call that stopped early has not had its arguments read yet; what cannot be read counts as none.
  pending.readOwnArguments();
  const { hooks } = pending.runtime;
  const point = pointOf(finished);
  if (point === undefined || !hooks.finishes(point)) return conclude(pending, finished);
  return hooks
    .finish(point, interceptedCall(pending), finished.result)
    .then((result) => conclude(pending, { ...finished, result }));
}

function conclude(pending: PendingCall, finished: Finished): InvocationResult | Promise<InvocationResult> {
  const entry = trace(pending, finished);
  if (!isForJournal(pending, finished)) return announceEnd(pending, finished, entry);
  return writeOutcome(pending, finished, entry).then(() => announceEnd(pending, finished, entry));
}

function trace(pending: PendingCall, finished: Finished): TraceEntry {
  const entry = new TraceEntry(pending, finished.status, withOutcome({}, finished));
  pending.session.record(entry);
  return entry;
}

// Adds what the call came to, for the trace and for observers. Written into what was made for it, not copied.
function withOutcome<Line extends object>(line: Line & TraceOutcome, { result, bytes }: Finished): Line & TraceOutcome {
  if (result.error !== undefined) line.errorCode = result.error.code;
  if (result.artifactRef !== undefined) line.artifactRef = result.artifactRef;
  if (bytes !== undefined) line.bytes = bytes;
  return line;
}

// Whether a cancelled call of a durable run had its effect is not known, and so it stays on record as started.
function isForJournal(pending: PendingCall, { status }: Finished): boolean {
  return pending.session.durability === undefined ? pending.isJournaled : status !== 'cancelled';
}

async function writeOutcome(pending: PendingCall, { result }: Finished, entry: TraceEntry): Promise<void> {
  try {
    await pending.journal?.finished(journalEntry(pending, entry.record), result);
  } catch (error) {
    // The call has run: its result is delivered, and a resumed run will find it started without an outcome.
    pending.runtime.logger.error('journal lost an outcome', { tool: pending.name, error: errorText(error) });
  }
}

function announceEnd(pending: PendingCall, finished: Finished, entry: TraceEntry): InvocationResult {
  const { hooks } = pending.runtime;
  const { callId, name: tool, caller } = pending;
  const { status, result } = finished;
  const { durationMs } = entry;
  pending.progress({ type: 'tool-result', callId, tool, status, durationMs });
  if (status === 'denied' && hooks.observes('tool-denied')) {
    const { code = 'E_TOOL_NOT_ALLOWED', message: reason = '' } = result.error ?? {};
    hooks.emit('tool-denied', { ...pending.scope, tool, code, reason });
  }
  if (hooks.observes('tool-end')) {
    const { argsPreview } = pending;
    const payload = { ...pending.scope, tool, caller, status, durationMs, argsPreview };
    hooks.emit('tool-end', withOutcome(payload, finished));
  }
  return result;
}

// Nobody gets the result of a cancelled call.
function pointOf(finished: Finished): ResultPoint | undefined {
  if (finished.status === 'cancelled') return undefined;
  if (finished.status === 'ok') return 'after-tool';
  const code = finished.result.error?.code;
  if (code === 'E_BUDGET_EXHAUSTED') return 'budget-exceeded';
  if (code === 'E_TOOLS_DISABLED') return 'tools-disabled';
  return finished.status === 'denied' ? 'permission-denied' : 'tool-error';
}

function interceptedCall(pending: PendingCall): InterceptedCall {
  const { scope, name: tool, caller, namedArgs: args } = pending;
  return { ...scope, tool, caller, args };
}
