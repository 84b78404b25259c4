import type { RunWriter } from '../base/run-context.ts';
import type { ChainCallRecord } from '../call/call-record.ts';
import type { InvocationResult } from '../tool/invocation-result.ts';
import type { JsonValue } from '../base/json.ts';
import type { Listing } from '../base/page.ts';

/** Records calls with side effects across a crash: `started` is durable before the tool runs, the outcome after it. */
export interface Journal {
  /**
   * Resolves when the record is durable, even against a power failure. Concurrent calls share one write to the disk.
   * @throws KernelError when it cannot be written; the call then does not start. `E_STATE_CONFLICT`: this attempt is already
   * recorded, or another process has the run; then that process runs the call
   */
  started(entry: JournalEntry): Promise<void>;
  /**
   * Resolves when the outcome survives the end of the process. It survives a power failure once the next `started`, run
   * transition or approval change is durable. A lost outcome leaves the call `started`: whether it had its effect is
   * unknown. An outcome without a start is stored too, for a call that was refused or has no side effects.
   * @throws KernelError `E_STATE_CONFLICT` if this attempt already has an outcome, or another process has the run
   */
  finished(entry: JournalEntry, result: InvocationResult): Promise<void>;
}

/** One attempt of a call, as recorded in the journal. */
export interface JournalEntry {
  readonly runId: string;
  readonly sessionId: string;
  /** The same for every attempt of one logical call, and unique to that call within the run. */
  readonly idempotencyKey: string;
  readonly record: ChainCallRecord;
  /**
   * Position of the call among the calls and events of its run, in the order in which they started. Unique within the run.
   * A call without a position is recorded but cannot be replayed.
   */
  readonly position?: number;
  /** Number of the attempt. Default 1. Attempt n + 1 is accepted if attempt n has started and has no outcome. */
  readonly attempt?: number;
  /** Process that makes the attempt, for a call that belongs to no run with an owner. Stored as it is. */
  readonly process?: string;
  /** SHA-256 of the tool's definition at the time of the call. */
  readonly toolDigest?: string;
  /**
   * True for an attempt that will not happen, recorded with `started`: the attempt before it did not begin either, because the call
   * was cancelled first. A process that continues the run makes the call again, as the next attempt.
   */
  readonly isWithdrawn?: boolean;
  /** Keyed digest of the requested call, before its arguments were changed. A replay compares it. */
  readonly requestDigest?: string;
  /** If set, the entry is refused unless this process executes the run. It is not stored. */
  readonly writer?: RunWriter;
}

/** Value that a run read and must read again when it is replayed: the time, a random seed, an id, the end of a sleep. */
export interface JournalEvent {
  readonly runId: string;
  /** See {@link JournalEntry}. */
  readonly position: number;
  /** For example `now`, `seed` or `sleep`. */
  readonly kind: string;
  readonly value: JsonValue;
  /** See {@link JournalEntry}. */
  readonly writer?: RunWriter;
}

/** True for a call that may have had an effect: it began, or has an outcome. */
export function mayHaveBegun({ status, entry }: Pick<JournaledCall, 'status' | 'entry'>): boolean {
  return status === 'finished' || entry.isWithdrawn !== true;
}

/** Last attempt of one call. */
export interface JournaledCall {
  readonly type: 'call';
  readonly status: 'started' | 'finished';
  /** The entry passed to `finished` if the call has an outcome, else the one passed to `started`. */
  readonly entry: Omit<JournalEntry, 'writer' | 'attempt'> & { readonly attempt: number };
  /** Present if the status is `finished`. */
  readonly result?: InvocationResult;
  /**
   * Order in which the calls of a run finished: the smaller number finished first. Records that are written at the same time
   * have the order in which their writes began.
   */
  readonly finishedOrder?: number;
}

/** One recorded event. */
export interface JournaledEvent {
  readonly type: 'event';
  readonly event: Omit<JournalEvent, 'writer'>;
  /** Shares its numbering with the finished calls; see {@link JournaledCall}. */
  readonly finishedOrder: number;
}

/** One item in the journal of a run. */
export type JournalItem = JournaledCall | JournaledEvent;

/** Journal that can be read, so that a run can be replayed. */
export interface RunJournal extends Journal {
  /**
   * Resolves when the event survives the end of the process, like an outcome. The caller need not await it before the next
   * call: a later `started` is never recorded before it. A run whose event was refused must stop.
   * @throws KernelError `E_STATE_CONFLICT` if the position is taken, or another process has the run
   */
  observed(event: JournalEvent): Promise<void>;
  /**
   * Returns every item of a run in the order of positions. Calls without a position follow in the order in which they were
   * recorded. A run must not be replayed past a damaged row.
   */
  entries(runId: string): Promise<Listing<JournalItem>>;
}
