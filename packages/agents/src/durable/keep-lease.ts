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
  /** When it was taken or renewed last, by the clock of this process; unknown when absent. */
  readonly heldSince?: number;
  /** Somebody else has it now. Called once at most. */
  onLost(): void;
}

/** A lease that is renewed until it is disposed. */
export interface KeptLease extends Disposable {
  /** Somebody else has it now. */
  readonly isLost: boolean;
  /** Nobody else can have it yet. A process that was held up finds this `false` before its timers fire. */
  readonly isCertain: boolean;
  /** Renews it now; `false` when it is lost. @throws KernelError of the store */
  confirm(): Promise<boolean>;
}

/**
 * Renews a lease three times in its length until it is disposed. A store that is gone is asked again: nobody else can
 * claim the run there either, and the journal takes nothing from whoever lost the lease.
 */
export function keepLease(options: LeaseOptions): KeptLease {
  const { runs, runId, owner, clock, logger, leaseMs, heldSince = -Infinity, onLost } = options;
  const intervalMs = Math.ceil(leaseMs / 3);
  let certainUntil = heldSince + leaseMs;
  let isLost = false;
  let isOver = false;
  let timer: Timer = clock.setTimer(renew, intervalMs);

  async function confirm(): Promise<boolean> {
    const now = clock.now();
    const isOurs = await runs.renew(runId, { owner, now, leaseMs });
    if (isOurs) certainUntil = Math.max(certainUntil, now + leaseMs);
    else lost();
    return isOurs;
  }

  function renew(): void {
    confirm().then(again, (error: unknown) => {
      logger.warn('a lease could not be renewed', { runId, code: isKernelError(error) ? error.code : 'unknown' });
      again();
    });
  }

  function again(): void {
    if (!isOver) timer = clock.setTimer(renew, intervalMs);
  }

  function lost(): void {
    if (isOver) return;
    end();
    isLost = true;
    onLost();
  }

  function end(): void {
    isOver = true;
    timer.cancel();
  }

  return {
    get isLost() {
      return isLost;
    },
    get isCertain() {
      return !isLost && clock.now() < certainUntil;
    },
    confirm,
    [Symbol.dispose]: end,
  };
}
