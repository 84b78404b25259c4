import type { Clock, Timer } from '@ravi/kernel';

/** Longest delay of platform timers: a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** Sets a timer. A delay over 24 days is shortened to 24 days; an infinite one sets no timer. */
export function setTimer(clock: Clock, callback: () => void, delayMs: number): Timer | undefined {
  return delayMs === Number.POSITIVE_INFINITY ? undefined : clock.setTimer(callback, Math.min(delayMs, longestMs));
}

/** Returns the value of a promise, or `undefined` once the signal is aborted, even if the promise never settles. */
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
