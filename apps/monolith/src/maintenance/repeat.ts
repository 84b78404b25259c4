import type { Clock, Logger, Timer } from '@ravi/kernel';

/** Options of {@link repeat}. */
export interface RepeatOptions {
  /** Does the work; `signal` aborts when the repetition is disposed. */
  work(signal: AbortSignal): Promise<void>;
  /** Log message of a failure. The work is tried again after the interval. */
  readonly failure: string;
  /** Milliseconds between the end of one execution and the start of the next. */
  readonly intervalMs: number;
  /** Milliseconds until the first execution; 0 by default. */
  readonly startDelayMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running repetition. Disposing it waits for the current execution and starts no further one. */
export interface Repeated extends AsyncDisposable {
  /** Resolves when the first execution has ended, successfully or not; never if it is disposed before. */
  readonly first: Promise<void>;
}

/** Does `work` now, or after the start delay, and again after each interval, until disposed. */
export function repeat({ work, failure, intervalMs, startDelayMs = 0, clock, logger }: RepeatOptions): Repeated {
  const ending = new AbortController();
  let timer: Timer | undefined;
  const first = Promise.withResolvers<void>();
  let working = Promise.resolve();
  if (startDelayMs === 0) working = workAndRepeat();
  else startAfter(startDelayMs);

  function startAfter(delayMs: number): void {
    timer = clock.setTimer(() => void (working = workAndRepeat()), delayMs, { isBackground: true });
  }

  async function workAndRepeat(): Promise<void> {
    try {
      await work(ending.signal);
    } catch (error) {
      logger.error(failure, { error });
    }
    first.resolve();
    if (!ending.signal.aborted) startAfter(intervalMs);
  }

  return {
    first: first.promise,
    async [Symbol.asyncDispose]() {
      ending.abort();
      timer?.cancel();
      await working;
    },
  };
}
