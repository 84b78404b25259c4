import type { ChainCallRecord, JournalEntry } from '@ravi/kernel';
import type { PendingCall } from './pending-call.ts';
import type { TraceLine } from './scope/session.ts';

/** Builds the record of a call for the trace or the journal. */
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
    ...(pending.attempts === undefined ? {} : { attempts: pending.attempts }),
    ...outcome,
  };
}

/** Builds the journal entry of a call from its record. */
export function journalEntry(pending: PendingCall, record: ChainCallRecord): JournalEntry {
  const { idempotencyKey, session, toolDigest, attempt } = pending;
  const { runId, sessionId, lease } = session;
  return {
    runId,
    sessionId,
    idempotencyKey,
    record,
    ...(attempt === undefined ? {} : { attempt }),
    ...(toolDigest === undefined ? {} : { toolDigest }),
    ...(lease === undefined ? {} : { writer: lease.writer }),
  };
}

/** Outcome of a finished call in the trace. */
export interface TraceOutcome {
  errorCode?: string;
  artifactRef?: string;
  bytes?: number;
}

/** Larger arguments are digested at once, so that the trace does not keep them in memory. */
const maxKeptBytes = 4_096;

/** Entry of a trace. The digest of small arguments is computed when the trace is read, not on every call. */
export class TraceEntry implements TraceLine {
  readonly #pending: PendingCall;
  readonly status: ChainCallRecord['status'];
  /** Milliseconds from start to end, waits included. */
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

  /** A new copy for each reader. */
  get record(): ChainCallRecord {
    this.#record ??= this.#build();
    return { ...this.#record, ...(this.#pending.isLate ? { late: true } : {}) };
  }

  #build(): ChainCallRecord {
    const status = this.#pending.isUnknown ? 'unknown' : this.status;
    return recordOf(this.#pending, status, this.durationMs, this.#outcome);
  }
}
