import type { Clock, Timer } from '@ravi/kernel';

/** What the timers of platforms can wait: a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** Sets a timer of any length: what is longer than 24 days waits 24 days, and an infinite one is none. */
export function setTimer(clock: Clock, callback: () => void, delayMs: number): Timer | undefined {
  return delayMs === Number.POSITIVE_INFINITY ? undefined : clock.setTimer(callback, Math.min(delayMs, longestMs));
}
