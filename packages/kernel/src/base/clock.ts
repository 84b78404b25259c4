/** Source of time. Injected, so that tests need not sleep. */
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

/** Clock of the platform. It uses web-standard globals only, and its timers never keep a process alive. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback: () => void, delayMs: number) {
    const handle: unknown = setTimeout(callback, delayMs);
    if (hasUnref(handle)) handle.unref();
    return { cancel: () => clearTimeout(handle as number) };
  },
});

// Node returns timer objects with `unref`; other platforms return numbers.
function hasUnref(handle: unknown): handle is { unref(): void } {
  return typeof handle === 'object' && handle !== null && 'unref' in handle;
}
