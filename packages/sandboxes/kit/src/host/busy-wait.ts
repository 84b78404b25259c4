import { availableParallelism } from 'node:os';

/** Keeps the host's event loop awake for a moment when a frame of a guest is due. */
export interface BusyWait {
  /** A guest has what it waited for and will most likely send a frame soon. */
  expect(): void;
  /** The frame is there. */
  arrived(): void;
}

/** Most scripts make their next call within this time; a longer wait is for the system. */
const windowMs = 0.1;
const mostSkips = 63;

/**
 * A core that went to sleep takes longer to wake than a script takes from one call to the next. So the loop turns, and
 * serves whatever else is due, for a tenth of a millisecond before it sleeps. Waits in vain become rare: the guest may be
 * slow, and it may be the one that waits for this very core.
 */
export function createBusyWait(): BusyWait {
  if (availableParallelism() < 2) return { expect() {}, arrived() {} };
  let until = 0;
  let turning = false;
  let skips = 0;
  let skipsAfterFailure = 1;

  function turn(): void {
    if (performance.now() < until) {
      setImmediate(turn);
      return;
    }
    turning = false;
    if (until === 0) return;
    skips = skipsAfterFailure;
    skipsAfterFailure = Math.min(2 * skipsAfterFailure + 1, mostSkips);
  }

  return {
    expect() {
      if (!turning && skips-- > 0) return;
      until = performance.now() + windowMs;
      if (turning) return;
      turning = true;
      setImmediate(turn);
    },
    arrived() {
      until = 0;
      if (turning) skipsAfterFailure = 1;
    },
  };
}
