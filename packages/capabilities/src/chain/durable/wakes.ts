import type { Clock, Timer } from '@ravi/kernel';

/** Timers of a script: it requests one wake at a time, and an earlier one when it needs that. */
export interface Wakes {
  /** Requests a wake; an earlier request that is still open is dropped. */
  request(place: number, due: number): void;
  /** Starts the timers. */
  start(): void;
  stop(): void;
}

/** Options of {@link createWakes}. */
export interface WakesOptions {
  readonly clock: Clock;
  /** Returns the time as the script sees it. */
  scriptNow(): number;
  onDue(place: number): void;
  onNotNeeded(place: number): void;
}

/**
 * Creates the wakes of one script. Between two replies, time passes only for the host. Time during which no process ran
 * the script counts as waited, and a clock that was set back never makes a script wait longer than it requested.
 */
export function createWakes({ clock, scriptNow, onDue, onNotNeeded }: WakesOptions): Wakes {
  let next: { readonly place: number; readonly due: number } | undefined;
  let timer: Timer | undefined;
  let hasStarted = false;

  function arm(): void {
    if (!hasStarted || next === undefined) return;
    const { due, place } = next;
    const delayMs = Math.min(due - scriptNow(), due - clock.now());
    timer = clock.setTimer(
      () => {
        next = undefined;
        onDue(place);
      },
      Math.max(0, delayMs),
    );
  }

  return {
    request(place, due) {
      timer?.cancel();
      if (next !== undefined) onNotNeeded(next.place);
      next = { place, due };
      arm();
    },
    start() {
      hasStarted = true;
      arm();
    },
    stop: () => timer?.cancel(),
  };
}
