import type { SessionLease } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { retryWhileUnavailable } from '@ravi/support';

/** Parts of a run that waiting for its stores needs. */
export interface StoreUser {
  readonly definition: { readonly invoker: { readonly clock: Clock } };
  /** Without a lease no other process could continue the run, and nothing waits. */
  readonly lease: SessionLease | undefined;
  readonly signal: AbortSignal;
  /** @throws KernelError `E_CANCELLED` if the run is cancelled */
  check(): void;
}

/**
 * Runs an operation of a store, repeated while the store is unavailable and the run holds its lease. The run store is asked
 * first if another process may hold the lease by now, and after a conflict. A failed attempt may have had its effect, so `operation` must be
 * idempotent.
 * @throws other errors of `operation`, its last error once `signal` aborts, and `E_CANCELLED` if the lease is lost
 */
export function waitForStore<Value>(
  run: StoreUser,
  operation: () => Promise<Value>,
  signal: AbortSignal = run.signal,
): Promise<Value> {
  const { lease } = run;
  if (lease === undefined) return operation();
  const attempt = async (): Promise<Value> => {
    if (!lease.isCertain && !(await lease.confirm())) run.check();
    try {
      return await operation();
    } catch (error) {
      if (isKernelError(error, 'E_STATE_CONFLICT') && !(await lease.confirm())) run.check();
      throw error;
    }
  };
  return retryWhileUnavailable(attempt, { clock: run.definition.invoker.clock, signal });
}
