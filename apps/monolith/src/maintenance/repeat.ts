import type { Clock, Logger, Timer } from '@ravi/kernel';

/** Options of {@link repeat}. */
export interface RepeatOptions {
  /** Does the work; `signal` aborts when the repetition is disposed. */
  work(signal: AbortSignal): Promise<void>;
  /** Log message of a failure. The work is tried again after the interval. */
  readonly failure: string;
  /** Milliseconds between the end of one execution and the start of the next. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running repetition. Disposing it waits for the current execution and starts no further one. */
export interface Repeated extends AsyncDisposable {
  /** Resolves when the first execution has ended, successfully or not. */
  readonly first: Promise<void>;
}

/** Does `work` now and again after each interval, until disposed. */
export function repeat({ work, failure, intervalMs, clock, logger }: RepeatOptions): Repeated {
  const ending = new AbortController();
  let timer: Timer | undefined;
  let working = workAndRepeat();

  async function workAndRepeat(): Promise<void> {
    try {
      await work(ending.signal);
    } catch (error) {
      logger.error(failure, { error });
    }
    if (ending.signal.aborted) return;
    timer = clock.setTimer(() => void (working = workAndRepeat()), intervalMs, { isBackground: true });
  }

  return {
    first: working,
    async [Symbol.asyncDispose]() {
      ending.abort();
      timer?.cancel();
      await working;
    },
  };
}
