import type { Clock, Timer } from '@ravi/kernel';

/** What the timers of platforms can wait: a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** Sets a timer of any length: what is longer than 24 days waits 24 days, and an infinite one is none. */
export function setTimer(clock: Clock, callback: () => void, delayMs: number): Timer | undefined {
  return delayMs === Number.POSITIVE_INFINITY ? undefined : clock.setTimer(callback, Math.min(delayMs, longestMs));
}

/** What a promise brings, or `undefined` as soon as the signal is aborted: the promise may never settle then. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
