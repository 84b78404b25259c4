import type { SessionLease } from '@ravi/invoker';
import type { RunWriter } from '@ravi/kernel';

/** Right of this process to execute one run, until it is disposed. */
export interface KeptLease extends SessionLease, Disposable {}

/** Options of {@link KeptProcess.hold}. */
export interface HoldOptions {
  /**
   * Monotonic time at which the run was requested from the store. Without it another process may have taken the run meanwhile, so it is
   * not certain before the next heartbeat.
   */
  readonly since?: number;
  /** Called at most once, when this process has the run no longer: stop the run and its calls. */
  onLost(): void;
}

/** Addresses and version of a process, for other processes and for people. */
export interface ProcessDescription {
  readonly address?: string;
  readonly version?: string;
}

/**
 * This process as the others see it. While it says that it lives, no other process takes its runs. Dispose it after everything that
 * executes runs: then its record is removed, and what it still has is free.
 */
export interface KeptProcess extends AsyncDisposable {
  /** Id of its record, and owner of its runs. */
  readonly id: string;
  /**
   * Resolves once the process has a record. Call it before each run that this process creates or claims.
   * @throws KernelError of the store; the next call tries again
   */
  started(): Promise<void>;
  /** Keeps a run that this process has created or claimed. */
  hold(writer: RunWriter, options: HoldOptions): KeptLease;
  /** Stores what others may know about the process, and starts it. @throws KernelError of the store; the next heartbeat tries again */
  describe(description: ProcessDescription): Promise<void>;
}
