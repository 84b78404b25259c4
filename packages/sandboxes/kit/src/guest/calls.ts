import type { RecordCodec } from '../protocol/records.ts';
import type { Builtins } from './builtins.ts';

/** Bridge calls of a guest. */
export interface GuestCalls {
  /** The `host` of a prelude. */
  readonly host: { readonly call: (op: unknown, payload: unknown) => Promise<string> };
  /** Sets the maximum number of calls of a run, the number in flight, and the size of each. */
  limit(maxCalls: number, maxInFlight: number, maxInputBytes: number): void;
  /** Returns records of queued calls, as many as may be in flight and fit into one frame. */
  takeRecords(): string;
  /** True if calls wait for room in a frame, not for replies. */
  hasRoom(): boolean;
  isWaiting(): boolean;
  resolve(id: number, text: string): void;
  reject(id: number, name: string, message: string, code: string): void;
}

/** Events of calls for the runtime. */
export interface CallEvents {
  /** Called when the script exceeds its number of calls. */
  readonly onTooMany: () => void;
  /** Called when enough calls are queued to send a frame. May throw. */
  readonly onFull: () => void;
}

/**
 * Creates the calls of a guest. They are queued, sent in the order in which they were made, and settled by the replies of
 * the host.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createCalls(builtins: Builtins, codec: RecordCodec, { onTooMany, onFull }: CallEvents): GuestCalls {
  const { createTable, defineProperty, freeze, then, Error, TypeError, RangeError } = builtins;
  const PromiseConstructor = builtins.Promise;
  const frameLength = 4 * 1024 * 1024;
  const frameCalls = 64;

  // Own entries of an object without a prototype, so that no function that user code can replace is called.
  const waiting = createTable<((answer: unknown) => void) | undefined>();
  const queued = createTable<string>();
  let made = 0;
  let taken = 0;
  let inFlight = 0;
  let maxCalls = 0;
  let maxInFlight = 1;
  let maxInputBytes = 0;

  return {
    host: freeze({ call: freeze(call) }),
    limit(calls, atOnce, inputBytes) {
      maxCalls = calls;
      maxInFlight = atOnce;
      maxInputBytes = inputBytes;
    },
    takeRecords() {
      let text = '';
      while (taken < made && inFlight < maxInFlight && text.length < frameLength) {
        text += queued[++taken] as string;
        queued[taken] = '';
        inFlight++;
      }
      return text;
    },
    hasRoom: () => taken < made && inFlight < maxInFlight,
    isWaiting: () => inFlight > 0 || taken < made,
    resolve: settle,
    reject: (id, name, message, code) => settle(id, failure(name, message, code)),
  };

  function call(op: unknown, payload: unknown): Promise<string> {
    return new PromiseConstructor((resolve) => {
      if (typeof op !== 'string' || typeof payload !== 'string') throw new TypeError('host.call needs two strings');
      // The host counts bytes; text with more characters than that is not sent.
      if (payload.length > maxInputBytes) {
        throw withCode(
          new RangeError(
            'The arguments of the call are larger than their limit (maxCallInputBytes: ' + maxInputBytes + ')',
          ),
          'E_LIMIT_CALL_INPUT',
        );
      }
      if (made >= maxCalls) {
        onTooMany();
        return;
      }
      const id = made + 1;
      // Encoded first: a script that is short of stack may fail here, and must not leave an incomplete call.
      queued[id] = codec.encodeThree('c', '' + id, op, payload);
      waiting[id] = resolve as (answer: unknown) => void;
      made = id;
      if (made - taken < frameCalls || inFlight >= maxInFlight) return;
      try {
        onFull();
      } catch {
        // The script is short of stack: the call is still made, and sent with the next ones.
      }
    });
  }

  function settle(id: number, answer: unknown): void {
    const settled = waiting[id];
    if (settled === undefined) return;
    waiting[id] = undefined;
    inFlight--;
    settled(answer);
  }

  // Rejects a few promise jobs later, when V8 can follow the script's `await` and add the line to the error.
  function failure(name: string, message: string, code: string): unknown {
    const nothing = (): void => {};
    let later: unknown = new PromiseConstructor<void>((resolve) => resolve());
    for (let jobs = 0; jobs < 3; jobs++) later = then(later, nothing, nothing);
    return then(
      later,
      () => {
        throw errorOf(name, message, code);
      },
      nothing,
    );
  }

  function errorOf(name: string, message: string, code: string): Error {
    const error = new Error(message);
    defineProperty(error, 'name', { value: name, configurable: true, writable: true });
    return code === '' ? error : withCode(error, code);
  }

  function withCode(error: Error, value: string): Error {
    defineProperty(error, 'code', { value, enumerable: true, configurable: true, writable: true });
    return error;
  }
}
