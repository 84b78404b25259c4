/** Person or service that a run acts for. Opaque; compared for equality only. */
export type Principal = string;

/** Run that a call belongs to: its ids, its principal and its cancellation. */
export interface RunContext {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** @throws KernelError `E_CANCELLED` when the run was cancelled. */
  check(): void;
}

/**
 * Process that writes for a run that it executes. A store accepts the write only while this owner has the run in
 * this epoch, expired or not, and checks that in the same transaction. Otherwise it rejects with `E_STATE_CONFLICT`, and nothing
 * changes.
 */
export interface RunWriter {
  /** Run with the lease: that of the row, or one above it whose process does its work. */
  readonly runId: string;
  readonly owner: string;
  /** See `Run.epoch`. */
  readonly epoch: number;
}
