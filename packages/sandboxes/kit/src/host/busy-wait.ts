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

/**
 * A core that went to sleep takes longer to wake than a script takes from one call to the next. So the loop turns, and
 * serves whatever else is due, for a tenth of a millisecond before it sleeps. Where the guest needs the only core, it
 * sleeps at once.
 */
export function createBusyWait(): BusyWait {
  if (availableParallelism() < 2) return { expect() {}, arrived() {} };
  let until = 0;
  let turning = false;

  function turn(): void {
    if (performance.now() < until) setImmediate(turn);
    else turning = false;
  }

  return {
    expect() {
      until = performance.now() + windowMs;
      if (turning) return;
      turning = true;
      setImmediate(turn);
    },
    arrived: () => void (until = 0),
  };
}
