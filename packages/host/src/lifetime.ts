import { messageOf } from './describe-error.ts';

/** Values to dispose together. */
export interface Lifetime {
  /** Adds a value. One that is not disposable is ignored. */
  add(name: string, value: unknown): void;
  /** Disposes all values once, the last added first. A failure does not stop the rest. Every call returns the failures. */
  end(): Promise<readonly Error[]>;
}

/** Creates an empty {@link Lifetime}. `AsyncDisposableStack` would do, but Node 22 does not have it. */
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
