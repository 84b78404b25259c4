import type { Clock, Timer } from '@ravi/kernel';

/** A pending deadline. */
export interface Deadline {
  /** Idempotent; after it the deadline never expires. */
  cancel(): void;
}

class Entry implements Deadline {
  readonly expiresAt: number;
  readonly expire: () => void;
  list: Lane | undefined;
  previous: Entry | undefined;
  next: Entry | undefined = undefined;

  constructor(lane: Lane, expiresAt: number, expire: () => void) {
    this.list = lane;
    this.previous = lane.tail;
    this.expiresAt = expiresAt;
    this.expire = expire;
  }

  cancel(): void {
    unlink(this);
  }
}

interface Lane {
  head: Entry | undefined;
  tail: Entry | undefined;
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
    const lane = this.#lane(delayMs);
    const entry = new Entry(lane, this.#clock.monotonic() + delayMs, expire);
    if (lane.tail === undefined) lane.head = entry;
    else lane.tail.next = entry;
    lane.tail = entry;
    // A timer that is still armed from a cancelled head fires early, finds out and arms again.
    lane.timer ??= this.#arm(lane, delayMs);
    return entry;
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
      const entry = lane.head;
      unlink(entry);
      entry.expire();
    }
    if (lane.head !== undefined) lane.timer ??= this.#arm(lane, Math.max(1, lane.head.expiresAt - now));
  }
}

function unlink(entry: Entry): void {
  const lane = entry.list;
  if (lane === undefined) return;
  entry.list = undefined;
  if (entry.previous === undefined) lane.head = entry.next;
  else entry.previous.next = entry.next;
  if (entry.next === undefined) lane.tail = entry.previous;
  else entry.next.previous = entry.previous;
  entry.previous = undefined;
  entry.next = undefined;
}
