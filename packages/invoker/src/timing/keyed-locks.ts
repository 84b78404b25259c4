import type { Cancellation } from './cancellation.ts';

/** Releases a lock; idempotent. */
export type Release = () => void;

const nothing: Release = () => {};

/**
 * First-come locks by key. A call that needs several keys takes them in sorted order, so two calls can never wait
 * for each other.
 */
export class KeyedLocks {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Takes all keys at once if they are free; `undefined` if the call has to wait. */
  tryAcquire(keys: readonly string[]): Release | undefined {
    if (keys.length === 0) return nothing;
    const sorted = sortedKeys(keys);
    if (sorted.some((key) => this.#waiting.has(key))) return undefined;
    for (const key of sorted) this.#waiting.set(key, []);
    return this.#releaseOf(sorted);
  }

  /** Waits for all keys. @throws KernelError `E_CANCELLED` when the call is cancelled first; it then holds no key */
  async acquire(keys: readonly string[], cancellation: Cancellation): Promise<Release> {
    const held: string[] = [];
    try {
      for (const key of sortedKeys(keys)) {
        await this.#acquireOne(key, cancellation);
        held.push(key);
      }
    } catch (error) {
      this.#releaseOf(held)();
      throw error;
    }
    return this.#releaseOf(held);
  }

  #acquireOne(key: string, cancellation: Cancellation): Promise<void> {
    cancellation.check();
    const queue = this.#waiting.get(key);
    if (queue === undefined) {
      this.#waiting.set(key, []);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        unsubscribe();
        resolve();
      };
      const leave = (): void => {
        queue.splice(queue.indexOf(enter), 1);
        reject(cancellation.error);
      };
      const unsubscribe = cancellation.onCancel(leave);
      queue.push(enter);
    });
  }

  #releaseOf(keys: readonly string[]): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      for (const key of keys) this.#handOver(key);
    };
  }

  #handOver(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }
}

function sortedKeys(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)].toSorted();
}
