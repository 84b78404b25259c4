import type { RecordCodec } from '../protocol/records.ts';
import type { Builtins } from './builtins.ts';

/** Bridge calls of a guest. */
export interface GuestCalls {
  /** What a prelude gets. */
  readonly host: { readonly call: (op: unknown, payload: unknown) => Promise<string> };
  /** Sets how many calls a run may make, and how many at once. */
  limit(maxCalls: number, maxInFlight: number): void;
  /** Records of queued calls, as many as may be in flight and fit into one frame. */
  takeRecords(): string;
  /** Whether calls wait for room in a frame rather than for answers. */
  hasRoom(): boolean;
  isWaiting(): boolean;
  resolve(id: string, text: string): void;
  reject(id: string, name: string, message: string, code: string): void;
}

/**
 * Calls queue here, leave in order of their making, and are settled by the answers of the host.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createCalls(builtins: Builtins, codec: RecordCodec, onTooMany: () => void): GuestCalls {
  const { createMap, mapGet, mapSet, mapDelete, defineProperty, freeze, toText, Error, TypeError, RangeError } =
    builtins;
  const PromiseConstructor = builtins.Promise;
  const maxPayloadLength = 16 * 1024 * 1024;
  const frameLength = 4 * 1024 * 1024;

  interface Failure {
    readonly name: string;
    readonly message: string;
    readonly code: string;
  }
  type Answer = { readonly text: string } | { readonly failure: Failure };
  interface Queued {
    readonly record: string;
    next: Queued | undefined;
  }
  const waiting = createMap<string, (answer: Answer) => void>();
  let first: Queued | undefined;
  let last: Queued | undefined;
  let made = 0;
  let inFlight = 0;
  let maxCalls = 0;
  let maxInFlight = 1;

  return {
    host: freeze({ call: freeze(call) }),
    limit(calls, atOnce) {
      maxCalls = calls;
      maxInFlight = atOnce;
    },
    takeRecords() {
      let text = '';
      while (first !== undefined && inFlight < maxInFlight && text.length < frameLength) {
        text += first.record;
        first = first.next;
        inFlight++;
      }
      if (first === undefined) last = undefined;
      return text;
    },
    hasRoom: () => first !== undefined && inFlight < maxInFlight,
    isWaiting: () => inFlight > 0 || first !== undefined,
    resolve: (id, text) => settle(id, { text }),
    reject: (id, name, message, code) => settle(id, { failure: { name, message, code } }),
  };

  /** Fails inside the awaiting function, so that V8's async stack trace leads to the script's own line. */
  async function call(op: unknown, payload: unknown): Promise<string> {
    if (typeof op !== 'string' || typeof payload !== 'string') throw new TypeError('host.call needs two strings');
    if (payload.length > maxPayloadLength) {
      throw new RangeError('The call carries ' + payload.length + ' characters; the limit is ' + maxPayloadLength);
    }
    const answer = await new PromiseConstructor<Answer>((settled) => enqueue(op, payload, settled));
    if ('text' in answer) return answer.text;
    throw errorOf(answer.failure);
  }

  function enqueue(op: string, payload: string, settled: (answer: Answer) => void): void {
    if (made >= maxCalls) {
      onTooMany();
      return;
    }
    const id = toText(++made);
    mapSet(waiting, id, settled);
    const queued: Queued = { record: codec.encode('c', id, op, payload), next: undefined };
    if (last === undefined) first = queued;
    else last.next = queued;
    last = queued;
  }

  function settle(id: string, answer: Answer): void {
    const settled = mapGet(waiting, id);
    if (settled === undefined) return;
    mapDelete(waiting, id);
    inFlight--;
    settled(answer);
  }

  function errorOf({ name, message, code }: Failure): Error {
    const error = new Error(message);
    defineProperty(error, 'name', { value: name, configurable: true, writable: true });
    if (code !== '') {
      defineProperty(error, 'code', { value: code, enumerable: true, configurable: true, writable: true });
    }
    return error;
  }
}
