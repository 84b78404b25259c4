import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';

/** Moment at which an operation of a store fails: before it has its effect, or after it, as when a reply is lost. */
export type FaultMoment = 'before' | 'after';

/** Operations of a store that fail with `E_STATE_UNAVAILABLE`. */
export interface Fault {
  /** Operation as `part.method`. */
  readonly operation: string;
  /** Number of the first failing call of this operation, from 1. */
  readonly number: number;
  readonly moment: FaultMoment;
  /** Number of operations of any kind in a row that fail. */
  readonly times: number;
}

/** State store whose operations a test counts, lets fail and cuts off. */
export interface FaultyStore {
  readonly store: CompleteStateStore;
  /** Number of calls of each operation. */
  readonly counts: ReadonlyMap<string, number>;
  /** Operations that failed. */
  readonly failed: readonly string[];
  /** Cuts the store off, as when its process is killed: no operation takes effect or returns any more. */
  cutOff(): void;
}

/** A server that cannot do it at its start does not start. */
const startOperation = 'wakes.attach';

/** Wraps every operation of every part of a state store that a server uses after its start. */
export function createFaultyStore(inner: CompleteStateStore, fault?: Fault): FaultyStore {
  const counts = new Map<string, number>();
  const failed: string[] = [];
  let isCutOff = false;
  let left = 0;

  async function call(operation: string, run: () => Promise<unknown>): Promise<unknown> {
    if (isCutOff) return new Promise(() => {});
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    if (fault?.operation === operation && fault.number === count) left = fault.times;
    const moment = left > 0 ? fault?.moment : undefined;
    if (moment !== undefined) {
      left--;
      failed.push(operation);
    }
    const result = moment === 'before' ? undefined : await run();
    if (isCutOff) return new Promise(() => {});
    if (moment === undefined) return result;
    throw new KernelError('E_STATE_UNAVAILABLE', `A fault of the test in ${operation}`, { retryable: true });
  }

  const wrapped = (part: string, target: object): object =>
    new Proxy(target, {
      get(_, method: string) {
        const own: unknown = Reflect.get(target, method);
        if (typeof own !== 'function') return own;
        const operation = `${part}.${method}`;
        if (operation === startOperation) return own.bind(target);
        return (...args: readonly unknown[]) => call(operation, () => own.apply(target, args));
      },
    });

  const parts = Object.entries(inner).map(([part, target]) => [
    part,
    typeof target === 'object' ? wrapped(part, target as object) : target,
  ]);
  const store = { ...Object.fromEntries(parts), [Symbol.asyncDispose]: async () => {} } as CompleteStateStore;
  return { store, counts, failed, cutOff: () => void (isCutOff = true) };
}
