import { availableParallelism } from 'node:os';

/** Keeps the event loop of the host awake briefly while a frame of a guest is expected. */
export interface BusyWait {
  /** Notifies it that a guest has received its reply and will probably send a frame soon. */
  expect(): void;
  /** Notifies it that the frame has arrived. */
  arrived(): void;
}

/** Most scripts make their next call within this time; after it the process sleeps. */
const windowMs = 0.1;
const mostSkips = 63;

/**
 * Creates the busy wait of a host. A sleeping core takes longer to wake than a script takes from one call to the next. So
 * the event loop keeps turning, and serves other work, for a tenth of a millisecond before it sleeps. After a wait without
 * success it waits less often: the guest may be slow, or may itself need this core.
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
