import type { ChainCallRecord, JournalEntry } from '@ravi/kernel';
import type { PendingCall } from './pending-call.ts';
import type { TraceOutcome } from './trace-entry.ts';

/** What the trace, or the journal, says of a call. */
export function recordOf(
  pending: PendingCall,
  status: ChainCallRecord['status'],
  durationMs: number,
  outcome: TraceOutcome = {},
): ChainCallRecord {
  return {
    callId: pending.callId,
    tool: pending.name,
    caller: pending.caller,
    argsDigest: pending.argsDigest,
    argsPreview: pending.argsPreview,
    status,
    startedAt: pending.startedAt,
    durationMs,
    ...(pending.approval === undefined ? {} : { approval: pending.approval }),
    ...outcome,
  };
}

/** A line of the journal with such a record. */
export function journalEntry(pending: PendingCall, record: ChainCallRecord): JournalEntry {
  const { idempotencyKey, session, toolDigest } = pending;
  const { runId, sessionId } = session;
  return { runId, sessionId, idempotencyKey, record, ...(toolDigest === undefined ? {} : { toolDigest }) };
}
