import { KernelError } from '@ravi/kernel';
import type { Clock, Principal, RunStore } from '@ravi/kernel';

/** Limit of the paused runs of one principal, each of which waits for people without an end of its own. */
export interface PausedRunLimit {
  /** Call it before a run starts. @throws KernelError `E_BUSY` if the principal is at its limit */
  check(principal: Principal): Promise<void>;
}

/** Options of {@link createPausedRunLimit}. */
export interface PausedRunLimitOptions {
  readonly runs: Pick<RunStore, 'countPaused'>;
  readonly maxPausedRuns: number;
  readonly clock: Clock;
}

interface Allowance {
  /** Runs that may start before the paused ones are counted again. */
  left: number;
  /** Monotonic time of the count that found none. */
  readonly refusedAt?: number;
}

const recountMs = 1_000;
const maxPrincipals = 10_000;

/**
 * Creates the limit of a process. Each run that starts may pause, so it uses one of the places that were free when the runs were
 * counted; they are counted again when none is left, at most once a second if none was free. Several servers may pass the limit together by
 * what each of them starts between two counts.
 */
export function createPausedRunLimit({ runs, maxPausedRuns, clock }: PausedRunLimitOptions): PausedRunLimit {
  const allowances = new Map<Principal, Allowance>();

  return {
    async check(principal) {
      const known = allowances.get(principal);
      if (known !== undefined && known.left > 0) return void (known.left -= 1);
      if (clock.monotonic() - (known?.refusedAt ?? -Infinity) >= recountMs) {
        const left = maxPausedRuns - (await runs.countPaused(principal, maxPausedRuns));
        if (allowances.size >= maxPrincipals) allowances.clear();
        allowances.set(principal, left > 0 ? { left: left - 1 } : { left, refusedAt: clock.monotonic() });
        if (left > 0) return;
      }
      const message = `${principal} has ${maxPausedRuns} paused runs, the limit of approvals.maxPausedRuns`;
      const way = 'Decide their questions or cancel some';
      throw new KernelError('E_BUSY', `${message}. ${way}`, { retryable: true, retryAfterMs: recountMs });
    },
  };
}
