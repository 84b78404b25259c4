import type { PreludeBuiltins } from './builtins.ts';
import type { DurableTime } from './durable-host.ts';

/** Replacements of globals that would give a script other values in a replay. */
export interface DurableGlobals {
  /** Names that replace those of the guest. */
  readonly replacements: Readonly<Record<string, unknown>>;
  /** Starts the random numbers from a seed of 32 hexadecimal digits. */
  seed(text: string): void;
}

/**
 * Creates `Date`, `Math.random`, `performance.now` and the random half of `crypto` from the recorded time and seed. Globals
 * that the guest does not have stay absent; those that depend on the garbage collector are removed.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createDurableGlobals(builtins: PreludeBuiltins, time: DurableTime): DurableGlobals {
  const { defineProperty, slice, toText, toNumber, Proxy, Bytes, construct } = builtins;
  const scope = globalThis as unknown as Record<string, Record<string, unknown> | undefined>;
  const state = new Uint32Array(4);
  const SystemDate = Date;

  // sfc32 of PractRand: small, fast, and good enough for values that are not secret.
  function next(): number {
    const second = state[1] as number;
    const third = state[2] as number;
    const counter = state[3] as number;
    const sum = ((state[0] as number) + second + counter) >>> 0;
    state[0] = second ^ (second >>> 9);
    state[1] = third + (third << 3);
    state[2] = ((third << 21) | (third >>> 11)) + sum;
    state[3] = counter + 1;
    return sum;
  }

  const random = (): number => (next() * 2_097_152 + (next() >>> 11)) / 9_007_199_254_740_992;

  function fill(view: ArrayBufferView): ArrayBufferView {
    const bytes = new Bytes(view.buffer, view.byteOffset, view.byteLength);
    for (let index = 0; index < bytes.length; index++) bytes[index] = next() & 0xff;
    return view;
  }

  function uuid(): string {
    let text = '';
    for (let digit = 0; digit < 32; digit++) {
      if (digit === 8 || digit === 12 || digit === 16 || digit === 20) text += '-';
      const random = next() & 15;
      const value = digit === 12 ? 4 : digit === 16 ? 8 + (random & 3) : random;
      text += slice('0123456789abcdef', value, value + 1);
    }
    return text;
  }

  const durableDate = new Proxy(SystemDate, {
    construct: (target, values, newTarget) => construct(target, values.length === 0 ? [time.now()] : values, newTarget),
    apply: () => toText(new SystemDate(time.now())),
  });
  defineProperty(SystemDate, 'now', { value: () => time.now(), configurable: true, writable: true });
  defineProperty(SystemDate.prototype, 'constructor', { value: durableDate, configurable: true, writable: true });
  defineProperty(Math, 'random', { value: random, configurable: true, writable: true });
  if (scope['performance'] !== undefined) {
    defineProperty(scope['performance'], 'now', { value: () => time.now(), configurable: true, writable: true });
  }
  if (scope['crypto'] !== undefined) {
    defineProperty(scope['crypto'], 'randomUUID', { value: uuid, configurable: true, writable: true });
    defineProperty(scope['crypto'], 'getRandomValues', { value: fill, configurable: true, writable: true });
  }
  delete scope['WeakRef'];
  delete scope['FinalizationRegistry'];

  return {
    replacements: { Date: durableDate },
    seed(text) {
      for (let index = 0; index < 4; index++) {
        state[index] = toNumber('0x' + slice(text, index * 8, index * 8 + 8));
      }
      for (let round = 0; round < 12; round++) next();
    },
  };
}
