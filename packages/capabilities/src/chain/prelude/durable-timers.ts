import type { PreludeBuiltins } from './builtins.ts';
import type { DurableTime } from './durable-host.ts';

/**
 * Creates `setTimeout`, `setInterval`, their `clear…` functions and `sleep` on the time of the host. Each turn fires one
 * timer, ordered by due time and then by creation. `fail` ends the script with the error that a callback threw.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createDurableTimers(
  builtins: PreludeBuiltins,
  time: DurableTime,
  fail: (error: unknown) => void,
): Readonly<Record<string, unknown>> {
  const { toNumber, create, Promise, TypeError, apply } = builtins;
  // The host keeps one wake; another is requested only if that would be too late.
  const maxWakes = 8;

  interface Entry {
    readonly id: number;
    readonly due: number;
    readonly intervalMs: number | undefined;
    readonly callback: () => void;
    next: Entry | undefined;
  }
  const live = create(null) as Record<number, Entry>;
  let head: Entry | undefined;
  let lastId = 0;
  let wakes = 0;
  let wanted: number | undefined;

  function insert(entry: Entry): void {
    live[entry.id] = entry;
    if (head === undefined || head.due > entry.due) {
      entry.next = head;
      head = entry;
    } else {
      let before = head;
      while (before.next !== undefined && before.next.due <= entry.due) before = before.next;
      entry.next = before.next;
      before.next = entry;
    }
    arm();
  }

  function arm(): void {
    while (head !== undefined && live[head.id] !== head) head = head.next;
    if (head === undefined || wakes >= maxWakes || (wanted !== undefined && wanted <= head.due)) return;
    const due = head.due;
    wanted = due;
    wakes++;
    time.wakeAt(due, () => {
      wakes--;
      if (wanted !== due) return arm();
      wanted = undefined;
      fire(due);
      arm();
    });
  }

  function fire(due: number): void {
    while (head !== undefined && live[head.id] !== head) head = head.next;
    const entry = head;
    if (entry === undefined || entry.due > due) return;
    head = entry.next;
    delete live[entry.id];
    if (entry.intervalMs !== undefined) insert({ ...entry, due: time.now() + entry.intervalMs, next: undefined });
    try {
      entry.callback();
    } catch (error) {
      fail(error);
    }
  }

  function add(callback: () => void, delayMs: unknown, repeats: boolean): number {
    const given = toNumber(delayMs);
    const delay = !(given > 0) ? 0 : given > 2_147_483_647 ? 2_147_483_647 : given;
    const intervalMs = repeats ? (delay > 1 ? delay : 1) : undefined;
    insert({ id: ++lastId, due: time.now() + delay, intervalMs, callback, next: undefined });
    return lastId;
  }

  function set(name: string, callback: unknown, delayMs: unknown, values: unknown[], repeats: boolean): number {
    if (typeof callback !== 'function') throw new TypeError(name + ' needs a function');
    return add(() => apply(callback as () => void, undefined, values), delayMs, repeats);
  }

  const clear = (id: unknown): void => {
    if (typeof id === 'number') delete live[id];
  };

  return {
    setTimeout: (callback: unknown, delayMs?: unknown, ...values: unknown[]) =>
      set('setTimeout', callback, delayMs, values, false),
    setInterval: (callback: unknown, delayMs?: unknown, ...values: unknown[]) =>
      set('setInterval', callback, delayMs, values, true),
    clearTimeout: clear,
    clearInterval: clear,
    sleep: (delayMs?: unknown) =>
      new Promise<void>((resolve) => {
        add(resolve, delayMs, false);
      }),
  };
}
