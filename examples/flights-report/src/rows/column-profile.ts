import type { JsonObject, JsonValue } from '@ravi/kernel';

const maxDistinct = 1_000;
const shownValues = 3;

/** Collects what one column holds, in one pass and bounded memory. */
export interface ColumnProfile {
  add(value: JsonValue | undefined): void;
  /** Plain data: counts, and for numbers their range and mean, for text its most frequent values. */
  summary(): JsonObject;
}

/** A {@link ColumnProfile} that has seen nothing. */
export function createColumnProfile(): ColumnProfile {
  let count = 0;
  let missing = 0;
  let numbers = 0;
  let sum = 0;
  let minimum = Infinity;
  let maximum = -Infinity;
  const texts = new Map<string, number>();
  let hasMoreTexts = false;

  return {
    add(value) {
      count++;
      if (value === undefined || value === null) {
        missing++;
      } else if (typeof value === 'number') {
        numbers++;
        sum += value;
        if (value < minimum) minimum = value;
        if (value > maximum) maximum = value;
      } else if (typeof value === 'string') {
        const seen = texts.get(value);
        if (seen !== undefined || texts.size < maxDistinct) texts.set(value, (seen ?? 0) + 1);
        else hasMoreTexts = true;
      }
    },
    summary: () => ({
      count,
      missing,
      ...(numbers === 0 ? {} : { minimum, maximum, mean: Number((sum / numbers).toPrecision(6)) }),
      ...(texts.size === 0
        ? {}
        : { distinct: hasMoreTexts ? `over ${maxDistinct}` : texts.size, frequent: top(texts) }),
    }),
  };
}

function top(texts: ReadonlyMap<string, number>): JsonObject {
  return Object.fromEntries([...texts].toSorted(([, left], [, right]) => right - left).slice(0, shownValues));
}
