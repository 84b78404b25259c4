import type { Clock, Logger, Timer } from '@ravi/kernel';

/** Something that is done now and then. */
export interface RepeatOptions {
  /** `signal` aborts when nobody waits for the rest of it any more. */
  work(signal: AbortSignal): Promise<void>;
  /** What a failure is logged as; it is tried again. */
  readonly failure: string;
  /** Milliseconds between the end of one time and the start of the next. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Disposing it waits for what is under way; nothing is done after that. */
export interface Repeated extends AsyncDisposable {
  /** Resolves when it was done, or failed, for the first time. */
  readonly first: Promise<void>;
}

/** Does `work` now, and again after each interval, until it is disposed. */
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
    timer = clock.setTimer(() => void (working = workAndRepeat()), intervalMs);
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
