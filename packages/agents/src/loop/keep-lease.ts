import type { SessionLease } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Clock, Logger, RunStore, RunWriter, Timer } from '@ravi/kernel';

/** Options of {@link keepLease}. */
export interface LeaseOptions {
  readonly runs: RunStore;
  /** Holder of the lease, as the store returned it with the run. */
  readonly writer: RunWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds that the lease holds without renewal. */
  readonly leaseMs: number;
  /** Monotonic time at which the last claim or renewal was requested; unknown when absent. */
  readonly heldSince?: number;
  /** Called when another process holds the lease: stop the run and its calls. Called at most once. */
  onLost(): void;
}

/** Lease that is renewed until it is disposed. */
export interface KeptLease extends SessionLease, Disposable {}

/**
 * Renews a lease every third of its length until it is disposed. A store that is unavailable is asked again: no other
 * process can claim the run there either, and the journal rejects writes of a process that has lost the lease.
 */
export function keepLease(options: LeaseOptions): KeptLease {
  const { runs, writer, clock, logger, leaseMs, heldSince = -Infinity, onLost } = options;
  const { runId, owner, epoch } = writer;
  const intervalMs = Math.ceil(leaseMs / 3);
  // The monotonic clock cannot be set; only the wall clock counts while a machine is suspended.
  let held = { monotonic: heldSince, wall: clock.now() };
  let isLost = false;
  let isOver = false;
  let timer: Timer = clock.setTimer(renew, intervalMs, { isBackground: true });

  async function confirm(): Promise<boolean> {
    if (isLost) return false;
    const requested = { monotonic: clock.monotonic(), wall: clock.now() };
    const isOurs = await runs.renew(runId, { owner, leaseMs, epoch });
    if (!isOurs) handleLoss();
    else if (requested.monotonic >= held.monotonic) held = requested;
    return isOurs;
  }

  function renew(): void {
    confirm().then(schedule, (error: unknown) => {
      logger.warn('a lease could not be renewed', { runId, code: isKernelError(error) ? error.code : 'unknown' });
      schedule();
    });
  }

  function schedule(): void {
    if (!isOver) timer = clock.setTimer(renew, intervalMs, { isBackground: true });
  }

  function handleLoss(): void {
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
    writer,
    get isLost() {
      return isLost;
    },
    get isCertain() {
      return !isLost && clock.monotonic() - held.monotonic < leaseMs && clock.now() - held.wall < leaseMs;
    },
    confirm,
    [Symbol.dispose]: end,
  };
}
