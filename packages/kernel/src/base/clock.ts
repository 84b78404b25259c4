/** Source of time. Injected, so that tests need not sleep. */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch; may jump. */
  now(): number;
  /** Monotonic time in milliseconds from an arbitrary start; never goes back, sub-millisecond. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds unless cancelled first. Until then the process stays alive, so that
   * a program cannot end while a caller waits; a background timer does not keep it alive. `Infinity` never ends.
   */
  setTimer(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
}

/** Options of {@link Clock.setTimer}. */
export interface TimerOptions {
  /** True for work that no caller waits for, such as a sweep or a heartbeat. Default: false. */
  readonly isBackground?: boolean;
}

/** A pending call of {@link Clock.setTimer}. */
export interface Timer {
  /** Idempotent; after it returns the callback is never called. */
  cancel(): void;
  /** Changes {@link TimerOptions.isBackground} of a pending timer: a caller has begun or stopped to wait for it. */
  setBackground(isBackground: boolean): void;
}

/** Longest delay of platform timers: a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** Clock of the platform. It uses web-standard globals only; where it cannot mark timers as background, all keep the process alive. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (callback: () => void, delayMs: number, options?: TimerOptions) =>
    new SystemTimer(callback, delayMs, options?.isBackground === true),
});

class SystemTimer implements Timer {
  readonly #callback: () => void;
  #leftMs: number;
  #isBackground: boolean;
  #handle: unknown;

  constructor(callback: () => void, delayMs: number, isBackground: boolean) {
    this.#callback = callback;
    this.#leftMs = delayMs;
    this.#isBackground = isBackground;
    this.#arm();
  }

  cancel(): void {
    clearTimeout(this.#handle as number);
  }

  setBackground(isBackground: boolean): void {
    if (isBackground === this.#isBackground) return;
    this.#isBackground = isBackground;
    if (!isNodeTimer(this.#handle)) return;
    if (isBackground) this.#handle.unref();
    else this.#handle.ref();
  }

  #arm(): void {
    const isLast = !(this.#leftMs > longestMs);
    const stageMs = isLast ? this.#leftMs : longestMs;
    this.#leftMs -= stageMs;
    this.#handle = setTimeout(isLast ? this.#callback : () => this.#arm(), stageMs);
    if (this.#isBackground && isNodeTimer(this.#handle)) this.#handle.unref();
  }
}

// Node returns timer objects; other platforms return numbers.
function isNodeTimer(handle: unknown): handle is { ref(): void; unref(): void } {
  return typeof handle === 'object' && handle !== null && 'unref' in handle;
}
