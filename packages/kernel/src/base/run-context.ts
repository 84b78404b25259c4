/** The person or service on whose behalf a run works. Opaque; equality is what counts. */
export type Principal = string;

/** The run that a call belongs to: who, which, until when, and whether it was cancelled. */
export interface RunContext {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** @throws KernelError `E_CANCELLED` when the run was cancelled. */
  check(): void;
}
