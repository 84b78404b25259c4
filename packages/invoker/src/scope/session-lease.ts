import { KernelError } from '@ravi/kernel';
import type { Clock, RunWriter } from '@ravi/kernel';
import { retryWhileUnavailable } from '@ravi/support';

/** Right of this process to execute the stored run whose work a session does. Its holder cancels the session when it is lost. */
export interface SessionLease {
  /** Names the run and this process to the stores, which refuse it once another process has the run. */
  readonly writer: RunWriter;
  /** True once another process holds the lease. */
  readonly isLost: boolean;
  /**
   * True while no other process can hold the lease. In a process that was stopped, or whose machine was suspended, this is
   * `false` before its timers fire.
   */
  readonly isCertain: boolean;
  /** Asks the store now. Returns `false` if the lease is lost. @throws KernelError of the store */
  confirm(): Promise<boolean>;
}

/** Session with a lease. */
export interface LeasedSession {
  readonly signal: AbortSignal;
  check(): void;
  cancel(reason: string, cause?: KernelError): void;
}

/**
 * Asks the store whether this process still executes the run, and waits while the store is unavailable.
 * @throws KernelError `E_CANCELLED` if the lease is lost or the session was cancelled meanwhile
 */
export async function confirmLease(lease: SessionLease, session: LeasedSession, clock: Clock): Promise<void> {
  let isHeld: boolean;
  try {
    isHeld = await retryWhileUnavailable(() => lease.confirm(), { clock, signal: session.signal });
  } catch (error) {
    session.check();
    throw error;
  }
  if (isHeld) return;
  const reason = 'Another process continues the run';
  session.cancel(reason, new KernelError('E_RUN_SUSPENDED', reason));
  session.check();
}
