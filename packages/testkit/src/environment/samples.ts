/**
 * Returns the items that a test tries: each `oneOf`-th one, from another one each day, if the environment variable `RAVI_TEST_SAMPLE` is
 * 1, as in a run of all test files of this repository; else all of them. For tests with many cases that are alike.
 */
export function sampleOfDay<Item>(items: readonly Item[], oneOf: number): readonly Item[] {
  if (process.env['RAVI_TEST_SAMPLE'] !== '1') return items;
  const first = dayOfSample() % Math.min(oneOf, Math.max(items.length, 1));
  return items.filter((_item, index) => index % oneOf === first);
}

/** Returns the number of repetitions of a test: `few` under the same condition, else `all`. */
export function countInSample(all: number, few: number): number {
  return process.env['RAVI_TEST_SAMPLE'] === '1' ? few : all;
}

/** Returns the first of the repetitions that a test makes today: another one each day under the same condition, else 0. */
export function offsetOfDay(perDay: number): number {
  return process.env['RAVI_TEST_SAMPLE'] === '1' ? dayOfSample() * perDay : 0;
}

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
  const first = (dayOfSample() + offset) % sample;
  return items.filter((_item, index) => index % sample === first);
}

/**
 * Returns the day whose sample a run takes, in days since the Unix epoch: `RAVI_TEST_DAY`, else today.
 *
 * @throws RangeError if the environment variable is not a whole number from 0 to 99999
 */
export function dayOfSample(): number {
  const text = process.env['RAVI_TEST_DAY'];
  if (text === undefined || text === '') return Math.floor(Date.now() / 86_400_000);
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new RangeError(
    `RAVI_TEST_DAY is "${text}"; it must be a whole number from 0 to 99999, in days since 1970-01-01.`,
  );
}
