import type { Clock } from '@ravi/kernel';
import { retryWhileUnavailable } from '@ravi/support';

/** Parts of a run that waiting for its stores needs. */
export interface StoreUser {
  readonly definition: { readonly invoker: { readonly clock: Clock } };
  /** Without a lease no other process could continue the run, and nothing waits. */
  readonly lease:
    | {
        /** True while no other process can hold the lease. */
        readonly isCertain: boolean;
        /** Renews the lease now. Returns `false` if it is lost. */
        confirm(): Promise<boolean>;
      }
    | undefined;
  readonly signal: AbortSignal;
  /** @throws KernelError `E_CANCELLED` if the run is cancelled */
  check(): void;
}

/**
 * Runs an operation of a store, repeated while the store is unavailable and the run holds its lease. If another process may
 * hold the lease by now, the run store is asked first. A failed attempt may have had its effect, so `operation` must be
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
    return operation();
  };
  return retryWhileUnavailable(attempt, { clock: run.definition.invoker.clock, signal });
}
