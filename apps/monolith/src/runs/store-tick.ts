/** Runs work of many runs together, so that what they store shares a transaction. */
export interface StoreTick {
  /** Runs `work` at the next tick; the same work is run once. */
  add(work: () => void): void;
}

// Short enough that a reader notices nothing; a script makes several calls in it.
const defaultPauseMs = 5;

/**
 * Creates a tick. The first work after a pause is run at once; more work waits until `pauseMs`, five milliseconds by default,
 * have passed since the last tick. It uses the platform's timer, because events must be stored even if a test stops the injected clock.
 */
export function createStoreTick(pauseMs: number = defaultPauseMs): StoreTick {
  let waiting = new Set<() => void>();
  let isPausing = false;

  function run(): void {
    const work = waiting;
    waiting = new Set();
    isPausing = true;
    setTimeout(() => {
      isPausing = false;
      if (waiting.size > 0) run();
    }, pauseMs).unref();
    for (const each of work) each();
  }

  return {
    add(work) {
      waiting.add(work);
      // After the current step of the program, which may add more.
      if (!isPausing && waiting.size === 1) queueMicrotask(() => !isPausing && run());
    },
  };
}
