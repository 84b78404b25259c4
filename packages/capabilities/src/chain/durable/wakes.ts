import type { Clock, Timer } from '@ravi/kernel';

/** Timers of a script: it requests one wake at a time, and an earlier one when it needs that. */
export interface Wakes {
  /**
   * Requests a wake in place of the one before, which is not needed any more unless its end is recorded. `isRecorded` is true
   * if the end of this one is: then it has its turn in the record, not from a timer.
   */
  request(place: number, due: number, isRecorded: boolean): void;
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
 *
 * When the script receives the reply to a replaced wake depends only on its requests and the record, so that a replay gives
 * it at the same place: in its turn if its end is recorded, else after the turn that replaced it.
 */
export function createWakes({ clock, scriptNow, onDue, onNotNeeded }: WakesOptions): Wakes {
  let next: { readonly place: number; readonly due: number; readonly isRecorded: boolean } | undefined;
  let timer: Timer | undefined;
  let hasStarted = false;

  function arm(): void {
    if (!hasStarted || next === undefined || next.isRecorded) return;
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
    request(place, due, isRecorded) {
      timer?.cancel();
      if (next?.isRecorded === false) onNotNeeded(next.place);
      next = { place, due, isRecorded };
      arm();
    },
    start() {
      hasStarted = true;
      arm();
    },
    stop: () => timer?.cancel(),
  };
}
