import type { PreludeHost } from './artifacts.ts';
import type { PreludeBuiltins } from './builtins.ts';

/** Time as a durable script sees it: it advances with the replies of the host. */
export interface DurableTime {
  now(): number;
  /** Calls `callback` in the first turn at or after `due`; its errors end the script. */
  readonly wakeAt: (due: number, callback: () => void) => void;
}

/** The host as a durable script sees it. */
export interface DurableHost {
  readonly host: PreludeHost;
  readonly time: DurableTime;
  /** Sets the start time and the maximum number of calls in flight; has an effect only once. */
  begin(now: number, maxInFlight: number): void;
}

/**
 * Receives the replies of the host one at a time: the host sends the next one at the end of the turn, when the script has
 * nothing left to do. So the script behaves the same whenever it gets the same replies in the same order. A reply is
 * `<time>\n`, then `v` and the text, or `x` and an error in JSON.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createDurableHost(builtins: PreludeBuiltins, raw: PreludeHost): DurableHost {
  const { parse, indexOf, slice, toNumber, toText, defineProperty, create, Error, Promise, then } = builtins;
  const queued = create(null) as Record<number, () => void>;
  const nothing = (): void => {};
  let first = 0;
  let last = 0;
  let underWay = 0;
  let maxInFlight = 0;
  let time = 0;

  function call(op: string, payload: string): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const send = (): void => {
        underWay++;
        const onError = (error: unknown): void => {
          ended();
          reject(error);
        };
        then(raw.call(op, payload), (text) => resolve(take(text as string)), onError);
      };
      if (underWay < maxInFlight) send();
      else queued[last++] = send;
    });
  }

  function take(text: string): string | Promise<string> {
    advance(text);
    ended();
    const body = slice(text, indexOf(text, '\n', 0) + 1);
    return slice(body, 0, 1) === 'v' ? slice(body, 1) : failure(slice(body, 1));
  }

  function advance(text: string): void {
    const now = toNumber(slice(text, 0, indexOf(text, '\n', 0)));
    if (now > time) time = now;
  }

  function ended(): void {
    underWay--;
    if (first === last) return;
    const send = queued[first] as () => void;
    delete queued[first++];
    send();
  }

  // Rejects a few promise jobs later, when V8 can follow the script's `await` and add the line to the error.
  function failure(described: string): Promise<string> {
    const { name, message, code } = parse(described) as Readonly<Record<string, string>>;
    let later: unknown = new Promise<void>((resolve) => resolve());
    for (let jobs = 0; jobs < 3; jobs++) later = then(later, nothing, nothing);
    return then(
      later,
      () => {
        const error = new Error(message);
        defineProperty(error, 'name', { value: name, configurable: true, writable: true });
        defineProperty(error, 'code', { value: code, enumerable: true, configurable: true, writable: true });
        throw error;
      },
      nothing,
    ) as Promise<string>;
  }

  return {
    host: { call },
    time: {
      now: () => time,
      wakeAt(due, callback) {
        const onAnswer = (text: unknown): void => {
          advance(text as string);
          callback();
        };
        then(raw.call('wake', toText(due)), onAnswer, nothing);
      },
    },
    begin(now, calls) {
      if (maxInFlight > 0) return;
      time = now;
      maxInFlight = calls;
    },
  };
}
