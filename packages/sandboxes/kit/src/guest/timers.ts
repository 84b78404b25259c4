import type { Builtins } from './builtins.ts';

/** Timers of a guest. The host owns the time: the guest requests a wake. */
export interface GuestTimers {
  /** `setTimeout`, `clearTimeout`, `setInterval`, `clearInterval` and `sleep`, as scripts see them. */
  readonly api: Readonly<Record<string, unknown>>;
  /** Returns the milliseconds until the next timer is due; `undefined` without timers. */
  untilNext(): number | undefined;
  isDue(time: number): boolean;
  /** Runs the first timer. Throws the error of its callback. */
  fire(): void;
}

/**
 * Creates timers as a list sorted by due time; timers with equal times keep the order in which they were set.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createTimers(builtins: Builtins): GuestTimers {
  const { apply, createMap, mapGet, mapSet, mapDelete, now, toNumber, freeze, TypeError } = builtins;
  const PromiseConstructor = builtins.Promise;

  interface Entry {
    readonly id: number;
    due: number;
    readonly intervalMs: number | undefined;
    readonly callback: () => void;
    previous: Entry | undefined;
    next: Entry | undefined;
  }
  const entries = createMap<number, Entry>();
  let first: Entry | undefined;
  let last: Entry | undefined;
  let lastId = 0;

  const api = {
    setTimeout: (callback: unknown, delayMs?: unknown, ...values: unknown[]): number =>
      set('setTimeout', callback, delayMs, values, false),
    setInterval: (callback: unknown, delayMs?: unknown, ...values: unknown[]): number =>
      set('setInterval', callback, delayMs, values, true),
    clearTimeout: clear,
    clearInterval: clear,
    sleep: (delayMs?: unknown): Promise<void> =>
      new PromiseConstructor((resolve) => {
        add(resolve, delayOf(delayMs), undefined);
      }),
  };

  return {
    api: freeze(api),
    untilNext() {
      if (first === undefined) return undefined;
      const delayMs = first.due - now();
      return delayMs > 0 ? delayMs : 0;
    },
    isDue: (time) => first !== undefined && first.due <= time,
    fire() {
      const entry = first;
      if (entry === undefined) return;
      remove(entry);
      if (entry.intervalMs !== undefined) {
        entry.due = now() + entry.intervalMs;
        insert(entry);
      }
      entry.callback();
    },
  };

  function set(name: string, callback: unknown, delayMs: unknown, values: unknown[], repeats: boolean): number {
    if (typeof callback !== 'function') throw new TypeError(name + ' needs a function');
    const delay = delayOf(delayMs);
    const run = (): void => {
      apply(callback as () => void, undefined, values);
    };
    return add(run, delay, repeats ? (delay > 1 ? delay : 1) : undefined);
  }

  function add(callback: () => void, delayMs: number, intervalMs: number | undefined): number {
    const entry: Entry = {
      id: ++lastId,
      due: now() + delayMs,
      intervalMs,
      callback,
      previous: undefined,
      next: undefined,
    };
    insert(entry);
    return entry.id;
  }

  function clear(id: unknown): void {
    const entry = mapGet(entries, id as number);
    if (entry !== undefined) remove(entry);
  }

  function insert(entry: Entry): void {
    let before = last;
    while (before !== undefined && before.due > entry.due) before = before.previous;
    entry.previous = before;
    entry.next = before === undefined ? first : before.next;
    if (entry.next === undefined) last = entry;
    else entry.next.previous = entry;
    if (before === undefined) first = entry;
    else before.next = entry;
    mapSet(entries, entry.id, entry);
  }

  function remove(entry: Entry): void {
    mapDelete(entries, entry.id);
    if (entry.previous === undefined) first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) last = entry.previous;
    else entry.next.previous = entry.previous;
  }

  function delayOf(delayMs: unknown): number {
    const delay = toNumber(delayMs);
    if (!(delay > 0)) return 0;
    return delay > 2_147_483_647 ? 2_147_483_647 : delay;
  }
}
