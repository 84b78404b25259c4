import type { RunWriter } from '../base/run-context.ts';
import type { JsonObject } from '../base/json.ts';
import type { KernelError } from '../base/errors.ts';

/** Place of an event in the record of its run. Events are ordered by epoch, then by number. */
export interface RunEventId {
  /** Epoch of the run when the event was written; see `Run.epoch`. */
  readonly epoch: number;
  /** From 1 within its epoch, without gaps. */
  readonly n: number;
}

/** Event to add to the record of a run. */
export interface NewRunEvent {
  /** See {@link RunEventId}. */
  readonly n: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly type: string;
  readonly data: JsonObject;
}

/** Event in the record of a run. It never changes. */
export interface StoredRunEvent extends NewRunEvent, RunEventId {}

/** Process that executes the run of an event; see {@link RunWriter}. */
export type RunEventWriter = Omit<RunWriter, 'runId'>;

/** Events of one page, oldest first. */
export interface RunEventPage {
  readonly items: readonly StoredRunEvent[];
  /** Errors of the damaged rows on the page. */
  readonly corrupt: readonly KernelError[];
  /** Present if there may be more events: the last event of the page, damaged or not. */
  readonly next?: RunEventId;
}

/**
 * Stores the events of runs, so that every reader sees each event once and in order, from any process. The end of a run is
 * written by `RunStore.transition`, in the same transaction as its status.
 */
export interface RunEventStore {
  /**
   * Adds events, all or none. Resolves when they survive the end of the process; they survive a power failure once a later
   * run transition or `started` of the journal is durable. Adding the same events again has no effect, so a failed attempt
   * can be repeated. Their numbers continue those of earlier calls.
   * @throws KernelError `E_STATE_CONFLICT` if the run does not have this epoch, or another owner
   */
  append(runId: string, writer: RunEventWriter, events: readonly NewRunEvent[]): Promise<void>;
  /** Returns the events after a place, from the first one when absent; at most `limit` (default 100, maximum 1 000). */
  list(runId: string, range?: { readonly after?: RunEventId; readonly limit?: number }): Promise<RunEventPage>;
}
