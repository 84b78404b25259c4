import { messageOf } from './message-of.ts';

/** Things to dispose together. */
export interface Lifetime {
  /** Takes what is disposable over; anything else is left alone. */
  add(name: string, value: unknown): void;
  /** Disposes everything once, the last added first; a failure does not stop the rest. Gives the failures, each time. */
  end(): Promise<readonly Error[]>;
}

/** A {@link Lifetime} with nothing in it. `AsyncDisposableStack` would do, but Node 22 does not have it. */
export function createLifetime(): Lifetime {
  const ends: { readonly name: string; readonly dispose: () => unknown }[] = [];
  let ended: Promise<readonly Error[]> | undefined;

  async function endAll(): Promise<readonly Error[]> {
    const failures: Error[] = [];
    for (const { name, dispose } of ends.reverse()) {
      try {
        await dispose();
      } catch (cause) {
        failures.push(new Error(`${name} could not be disposed: ${messageOf(cause)}`, { cause }));
      }
    }
    return failures;
  }

  return {
    add(name, value) {
      const dispose = disposerOf(value);
      if (dispose !== undefined) ends.push({ name, dispose });
    },
    end: () => (ended ??= endAll()),
  };
}

function disposerOf(value: unknown): (() => unknown) | undefined {
  const disposable = value as Partial<AsyncDisposable & Disposable>;
  if (typeof disposable[Symbol.asyncDispose] === 'function') return () => disposable[Symbol.asyncDispose]?.();
  if (typeof disposable[Symbol.dispose] === 'function') return () => disposable[Symbol.dispose]?.();
  return undefined;
}
