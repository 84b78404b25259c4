/**
 * Generator of numbers from 0 up to 1 that are the same in every run, so that token counts are too.
 * Mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
 */
export interface Random {
  /** Returns a whole number from `least` up to `most`. */
  whole(least: number, most: number): number;
  /** Returns one of the items. */
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** Creates a generator that starts at `seed`. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return { whole, pick: (items) => items[whole(0, items.length - 1)] ?? items[0] };
}
