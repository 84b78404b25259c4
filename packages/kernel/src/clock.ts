/** Time, injectable so that tests never sleep. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch; may jump. */
  now(): number;
  /** Monotonic time in milliseconds from an arbitrary start; never goes back, sub-millisecond. */
  monotonic(): number;
  /** Calls `callback` once after `delayMs` milliseconds unless cancelled first. Must not keep the process alive. */
  setTimer(callback: () => void, delayMs: number): Timer;
}

/** A pending call of {@link Clock.setTimer}. */
export interface Timer {
  /** Idempotent; after it returns the callback is never called. */
  cancel(): void;
}
