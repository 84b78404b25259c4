import { systemClock } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';

/** The time that a source has to open when a server starts. */
const maxStartMs = 30_000;

/** Creates the system's clock, and the end of the first wait for a source to open, to be called by the test. */
export function impatientClock(): { readonly clock: Clock; readonly due: Promise<() => void> } {
  const { promise: due, resolve } = Promise.withResolvers<() => void>();
  const clock: Clock = {
    ...systemClock,
    setTimer(callback, delayMs, options) {
      // Sources open in the order of the configuration; each has a timer of its own.
      if (delayMs === maxStartMs) ends.push(callback);
      if (delayMs === maxStartMs) resolve(() => ends.forEach((end) => end()));
      return systemClock.setTimer(callback, delayMs, options);
    },
  };
  const ends: (() => void)[] = [];
  return { clock, due };
}
