import type { Clock, Timer } from '@ravi/kernel';

/** The wakes of a script: it asks for one at a time, and for an earlier one when it needs that. */
export interface Wakes {
  /** Asks for a wake; one that was asked for before and has not come is not needed any more. */
  ask(place: number, due: number): void;
  /** Wakes begin to come. */
  start(): void;
  stop(): void;
}

/** What wakes are made of. */
export interface WakesOptions {
  readonly clock: Clock;
  /** The time as the script knows it. */
  scriptNow(): number;
  onDue(place: number): void;
  onNotNeeded(place: number): void;
}

/**
 * Time passes between an answer and the next only for the host. A script that waited while its process was down has
 * waited all the same, and a clock that was set back makes nobody wait longer than asked.
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
    ask(place, due) {
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
