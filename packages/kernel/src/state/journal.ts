import type { ChainCallRecord } from '../call/call-record.ts';
import type { InvocationResult } from '../call/invocation-result.ts';
import type { JsonValue } from '../base/json.ts';
import type { Listing } from '../base/page.ts';

/** Remembers calls with side effects across a crash: `started` is durable before the tool runs, the outcome after it. */
export interface Journal {
  /**
   * Resolves when the record is durable, also against a loss of power. Calls at the same time share one write to the
   * disk.
   * @throws KernelError when it cannot be written; the call then does not start. `E_STATE_CONFLICT`: this attempt is on
   * record already, or another process holds the run's lease; then somebody else runs the call
   */
  started(entry: JournalEntry): Promise<void>;
  /**
   * Resolves when the outcome survives the end of the process; it survives a loss of power from the next `started`,
   * change of a run or approval on. What is lost is the outcome alone: the call is then `started`, which is to say unknown.
   * An outcome without a start is kept too: a call that was refused, or one without side effects.
   * @throws KernelError `E_STATE_CONFLICT` when this attempt has an outcome already
   */
  finished(entry: JournalEntry, result: InvocationResult): Promise<void>;
}

/** One call as the journal keeps it. */
export interface JournalEntry {
  readonly runId: string;
  readonly sessionId: string;
  /** The same for every attempt of the same logical call; no other call of the run has it. */
  readonly idempotencyKey: string;
  readonly record: ChainCallRecord;
  /**
   * The place of the call among the calls and events of its run, in the order in which they were begun; no other has it.
   * A call without one is on record but cannot be replayed.
   */
  readonly position?: number;
  /** From 1, which it is when absent. Attempt n + 1 is accepted when attempt n has started and has no outcome. */
  readonly attempt?: number;
  /** SHA-256 of the tool's definition at the time of the call. */
  readonly toolDigest?: string;
  /** Keyed digest of the call as it was asked for, before anybody changed its arguments: what a replay compares. */
  readonly requestDigest?: string;
  /** When given, the entry is refused unless this owner holds the run's lease. */
  readonly leaseOwner?: string;
}

/** Something that a run read and must read again when it is replayed: the time, a random seed, an id, the end of a sleep. */
export interface JournalEvent {
  readonly runId: string;
  /** See {@link JournalEntry}. */
  readonly position: number;
  /** `now`, `seed` or `sleep` for instance. */
  readonly kind: string;
  readonly value: JsonValue;
  /** See {@link JournalEntry}. */
  readonly leaseOwner?: string;
}

/** What the journal knows of one call: its last attempt. */
export interface JournaledCall {
  readonly type: 'call';
  readonly status: 'started' | 'finished';
  /** As `finished` got it when the call has an outcome, else as `started` did; always with its attempt, never with an owner. */
  readonly entry: Omit<JournalEntry, 'leaseOwner' | 'attempt'> & { readonly attempt: number };
  /** Present when it is `finished`. */
  readonly result?: InvocationResult;
  /** Of two finished calls of a run the one with the smaller number finished first. */
  readonly finishedOrder?: number;
}

/** What the journal knows of one event. */
export interface JournaledEvent {
  readonly type: 'event';
  readonly event: Omit<JournalEvent, 'leaseOwner'>;
  /** In one numbering with the ends of the calls; see {@link JournaledCall}. */
  readonly finishedOrder: number;
}

/** One place in the journal of a run. */
export type JournalItem = JournaledCall | JournaledEvent;

/** A journal that can be read back, so that a run can be replayed. */
export interface RunJournal extends Journal {
  /**
   * Resolves when the event survives the end of the process, as an outcome does. It need not be awaited before the next
   * call begins: a `started` that is called after it is never on record before it. But a run whose event was refused must
   * stop.
   * @throws KernelError `E_STATE_CONFLICT` when the position is taken, or another process holds the run's lease
   */
  observed(event: JournalEvent): Promise<void>;
  /**
   * Everything of a run in the order of positions; calls without a position follow in the order in which they came.
   * A run with damaged rows must not be replayed past them.
   */
  entries(runId: string): Promise<Listing<JournalItem>>;
}
