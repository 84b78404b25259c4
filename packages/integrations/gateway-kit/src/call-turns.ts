import type { GatewayCall } from './gateway-types.ts';
import { keyOfRun } from './runs.ts';

/** Returns a text that is equal for equal call ids of equal runs. */
export function keyOfCall({ run, callId }: Pick<GatewayCall, 'run' | 'callId'>): string {
  return JSON.stringify([keyOfRun(run), callId]);
}

/** Runs tasks of one key after each other, and those of other keys at the same time. */
export type KeyedQueue = <Value>(key: string, task: () => Promise<Value>) => Promise<Value>;

/** Creates a {@link KeyedQueue}. A task that fails does not stop the next one. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const before = tails.get(key);
    const { promise: tail, resolve: leave } = Promise.withResolvers<void>();
    tails.set(key, tail);
    try {
      await before;
      return await task();
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
      leave();
    }
  };
}
