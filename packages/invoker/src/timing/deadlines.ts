import type { Clock, Timer } from '@ravi/kernel';

/** A pending deadline. */
export interface Deadline {
  /** Cancels the deadline, so that it never expires. Idempotent. */
  cancel(): void;
}

/** Object that expires after some time unless it is cancelled. A node of its lane's linked list, so that it can be removed at once. */
export abstract class Expiring implements Deadline {
  lane: Lane | undefined = undefined;
  previous: Expiring | undefined = undefined;
  next: Expiring | undefined = undefined;
  /** On the monotonic clock. */
  expiresAt = 0;

  /** Called once, when its time is up. */
  abstract expire(): void;

  cancel(): void {
    const { lane } = this;
    if (lane === undefined) return;
    unlink(this, lane);
    // The timer of an empty lane stays armed for the next deadline, but no caller waits for it.
    if (lane.head === undefined) lane.timer?.setBackground(true);
  }
}

class Callback extends Expiring {
  readonly expire: () => void;

  constructor(expire: () => void) {
    super();
    this.expire = expire;
  }
}

/** Deadlines of one duration, in the order in which they expire. */
interface Lane {
  head: Expiring | undefined;
  tail: Expiring | undefined;
  timer: Timer | undefined;
}

/**
 * Deadlines of many calls on one timer per duration instead of one per call: deadlines of one duration expire in the
 * order they were set, so each duration is a queue whose head alone needs a timer.
 * Method: the timing lists of Varghese and Lauck, "Hashed and hierarchical timing wheels" (1987), scheme 2.
 */
export class Deadlines {
  readonly #lanes = new Map<number, Lane>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` after `delayMs` milliseconds unless cancelled first. */
  set(delayMs: number, expire: () => void): Deadline {
    const deadline = new Callback(expire);
    this.start(delayMs, deadline);
    return deadline;
  }

  /** Like {@link Deadlines.set}, for an object that is itself a deadline. It may be started again once it is cancelled. */
  start(delayMs: number, deadline: Expiring): void {
    const lane = this.#lane(delayMs);
    deadline.expiresAt = this.#clock.monotonic() + delayMs;
    deadline.lane = lane;
    deadline.previous = lane.tail;
    if (lane.tail === undefined) lane.head = deadline;
    else lane.tail.next = deadline;
    lane.tail = deadline;
    // A timer that is still armed for a cancelled head fires early and is armed again.
    if (lane.timer === undefined) lane.timer = this.#arm(lane, delayMs);
    else if (lane.head === deadline) lane.timer.setBackground(false);
  }

  #lane(delayMs: number): Lane {
    const known = this.#lanes.get(delayMs);
    if (known !== undefined) return known;
    const lane: Lane = { head: undefined, tail: undefined, timer: undefined };
    this.#lanes.set(delayMs, lane);
    return lane;
  }

  #arm(lane: Lane, delayMs: number): Timer {
    return this.#clock.setTimer(() => this.#fire(lane), delayMs);
  }

  #fire(lane: Lane): void {
    lane.timer = undefined;
    const now = this.#clock.monotonic();
    while (lane.head !== undefined && lane.head.expiresAt <= now) {
      const deadline = lane.head;
      unlink(deadline, lane);
      deadline.expire();
    }
    if (lane.head !== undefined) lane.timer ??= this.#arm(lane, Math.max(1, lane.head.expiresAt - now));
  }
}

function unlink(deadline: Expiring, lane: Lane): void {
  const { previous, next } = deadline;
  if (previous === undefined) lane.head = next;
  else previous.next = next;
  if (next === undefined) lane.tail = previous;
  else next.previous = previous;
  deadline.lane = undefined;
  deadline.previous = undefined;
  deadline.next = undefined;
}
