import type { Clock } from '@ravi/kernel';

/** Sums the time spent waiting for humans; overlapping waits count once. */
export class HumanClock {
  readonly #clock: Clock;
  #waiting = 0;
  #since = 0;
  #total = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a wait; the returned function ends it. */
  enter(): () => void {
    if (this.#waiting++ === 0) this.#since = this.#clock.monotonic();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (--this.#waiting === 0) this.#total += this.#clock.monotonic() - this.#since;
    };
  }

  /** Milliseconds so far, the current wait included. */
  get totalMs(): number {
    return this.#waiting === 0 ? this.#total : this.#total + this.#clock.monotonic() - this.#since;
  }
}
