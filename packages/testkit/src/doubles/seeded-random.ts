/** Random choices that can be made again. */
export interface SeededRandom {
  /** A whole number from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  /** One of `choices`. */
  pick<Choice>(choices: readonly Choice[]): Choice;
  /** `length` random bytes. */
  bytes(length: number): Buffer;
}

/** The same choices for the same `seed` (the generator mulberry32; good enough to find mistakes, not to keep secrets). */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    below: (bound) => next() % bound,
    pick: (choices) => choices[next() % choices.length] as (typeof choices)[number],
    bytes: (length) => Buffer.from(Array.from({ length }, () => next() & 0xff)),
  };
}
