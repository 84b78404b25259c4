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
