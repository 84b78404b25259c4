import type { Clock } from './clock.ts';

/** The clock of the platform: web-standard globals only, timers that never keep a process alive. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback: () => void, delayMs: number) {
    const handle: unknown = setTimeout(callback, delayMs);
    if (hasUnref(handle)) handle.unref();
    return { cancel: () => clearTimeout(handle as number) };
  },
});

// Node's timers are objects that can be told not to hold the process; elsewhere they are numbers.
function hasUnref(handle: unknown): handle is { unref(): void } {
  return typeof handle === 'object' && handle !== null && 'unref' in handle;
}
