import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@ravi/kernel';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward by `ms` and fires what falls due, in order of due time and then of creation; each callback sees
   * the time it was due at. Timers set by a callback fire too when they fall into the same span. Promises that a
   * callback settles continue only after the caller awaits something.
   * @throws RangeError when `ms` is negative or no number
   */
  advance(ms: number): void;
  /** Timers that are neither fired nor cancelled: 0 after a component cleaned up. */
  readonly pendingTimers: number;
  /** Pending timers that would keep a process alive. */
  readonly awaitedTimers: number;
}

interface PendingTimer {
  readonly dueAt: number;
  readonly callback: () => void;
  isBackground: boolean;
}

/** A {@link FakeClock} whose wall clock starts at `startMs` (milliseconds since the epoch) and whose monotonic time starts at 0. */
export function createFakeClock(startMs: number = Date.UTC(2025, 0, 1)): FakeClock {
  const pending = new Set<PendingTimer>();
  let elapsed = 0;

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    setTimer(callback, delayMs, { isBackground = false } = {}) {
      const timer: PendingTimer = { dueAt: elapsed + Math.max(0, delayMs), callback, isBackground };
      pending.add(timer);
      return {
        cancel: () => void pending.delete(timer),
        setBackground: (value) => void (timer.isBackground = value),
      };
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`A clock cannot advance by ${ms} ms`);
      const end = elapsed + ms;
      for (let timer = earliest(pending, end); timer !== undefined; timer = earliest(pending, end)) {
        pending.delete(timer);
        elapsed = timer.dueAt;
        timer.callback();
      }
      elapsed = end;
    },
    get pendingTimers() {
      return pending.size;
    },
    get awaitedTimers() {
      return [...pending].filter(({ isBackground }) => !isBackground).length;
    },
  };
}

/** A set keeps insertion order, so the first of several equal due times is the one created first. */
function earliest(pending: ReadonlySet<PendingTimer>, end: number): PendingTimer | undefined {
  let first: PendingTimer | undefined;
  for (const timer of pending) {
    if (timer.dueAt <= end && (first === undefined || timer.dueAt < first.dueAt)) first = timer;
  }
  return first;
}

/** Lets everything that is ready to run do so: resolved promises and their reactions, without any time passing. */
export async function settle(): Promise<void> {
  await setImmediate();
}
