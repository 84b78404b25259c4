import { isKernelError } from '@ravi/kernel';
import type { Clock, Logger, RunStore, Timer } from '@ravi/kernel';

/** What a lease is kept with. */
export interface LeaseOptions {
  readonly runs: RunStore;
  readonly runId: string;
  readonly owner: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long it holds without being renewed. */
  readonly leaseMs: number;
  /** Somebody else has it now. */
  onLost(): void;
}

/**
 * Renews a lease three times in its length until it is disposed. A store that is gone is asked again: nobody else can
 * claim the run there either, and the journal takes nothing from whoever lost the lease.
 */
export function keepLease(options: LeaseOptions): Disposable {
  const { runs, runId, owner, clock, logger, leaseMs, onLost } = options;
  const intervalMs = Math.ceil(leaseMs / 3);
  let isOver = false;
  let timer: Timer = clock.setTimer(renew, intervalMs);

  function renew(): void {
    runs.renew(runId, { owner, now: clock.now(), leaseMs }).then(
      (isOurs) => (isOurs ? again() : lost()),
      (error: unknown) => {
        logger.warn('a lease could not be renewed', { runId, code: isKernelError(error) ? error.code : 'unknown' });
        again();
      },
    );
  }

  function again(): void {
    if (!isOver) timer = clock.setTimer(renew, intervalMs);
  }

  function lost(): void {
    if (!isOver) onLost();
  }

  return {
    [Symbol.dispose]() {
      isOver = true;
      timer.cancel();
    },
  };
}
