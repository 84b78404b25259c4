/** Reads `RAVI_HOSTILE_SAMPLE`: one of how many cases a run tries, from 1 (each case) to 100. */
function readSample(): number {
  const text = process.env['RAVI_HOSTILE_SAMPLE'];
  if (text === undefined || text === '') return 1;
  const sample = Number(text);
  if (Number.isInteger(sample) && sample >= 1 && sample <= 100) return sample;
  throw new RangeError(`RAVI_HOSTILE_SAMPLE is "${text}"; it must be a whole number from 1 to 100.`);
}

/**
 * Returns the items that this run tries: all, or at least one and one of `RAVI_HOSTILE_SAMPLE`. The choice changes from day to
 * day, so that runs of several days try each item. `offset` makes lists of the same length differ.
 *
 * @throws RangeError if the environment variable is not a whole number from 1 to 100
 */
export function sampleOf<Item>(items: readonly Item[], offset = 0): readonly Item[] {
  const sample = Math.min(readSample(), Math.max(items.length, 1));
  const first = (Math.floor(Date.now() / 86_400_000) + offset) % sample;
  return items.filter((_item, index) => index % sample === first);
}
