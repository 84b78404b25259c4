import type { ChainCallRecord, JournalEntry } from '@ravi/kernel';
import type { PendingCall } from './pending-call.ts';
import type { TraceLine } from './scope/session.ts';

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

/** What a finished call leaves in the trace. */
export interface TraceOutcome {
  errorCode?: string;
  artifactRef?: string;
  bytes?: number;
}

/** Arguments above this size are digested at once, so that the trace does not keep them. */
const maxKeptBytes = 4_096;

/** One line of a trace. The digest of small arguments is computed when somebody reads the trace, not on every call. */
export class TraceEntry implements TraceLine {
  readonly #pending: PendingCall;
  readonly status: ChainCallRecord['status'];
  /** Milliseconds that the call took, waiting included. */
  readonly durationMs: number;
  readonly #outcome: TraceOutcome;
  #record: ChainCallRecord | undefined;

  constructor(pending: PendingCall, status: ChainCallRecord['status'], outcome: TraceOutcome) {
    this.#pending = pending;
    this.status = status;
    this.#outcome = outcome;
    this.durationMs = pending.runtime.clock.monotonic() - pending.started;
    pending.dropContent();
    if (pending.argsBytes <= maxKeptBytes) return;
    this.#record = this.#build();
    pending.dropArguments();
  }

  get tool(): string {
    return this.#pending.name;
  }

  /** A record of its own for every reader. */
  get record(): ChainCallRecord {
    this.#record ??= this.#build();
    return { ...this.#record, ...(this.#pending.isLate ? { late: true } : {}) };
  }

  #build(): ChainCallRecord {
    return recordOf(this.#pending, this.status, this.durationMs, this.#outcome);
  }
}
