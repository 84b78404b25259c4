const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns the milliseconds of a duration such as `34.4s`, `6m0s` or `120ms`; `undefined` for anything else. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gu)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.trim()) return undefined;
  return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0));
}

/**
 * Returns how many milliseconds from `now` (milliseconds since the Unix epoch) a provider asks to wait: the larger of
 * `retry-after-ms` and `retry-after`, which is seconds, a duration or a date. `undefined` without a valid one; never
 * negative.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const waits = [numberOf(headers.get('retry-after-ms')), waitOf(headers.get('retry-after'), now)];
  const valid = waits.filter((wait) => wait !== undefined);
  return valid.length === 0 ? undefined : Math.max(...valid);
}

function waitOf(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const seconds = numberOf(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // A date begins with the day of the week; `Date.parse` would read other numbers as years.
  const date = /^[a-z]/iu.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? parseDuration(value) : Math.max(0, date - now);
}

/** Returns the value of `x-should-retry`, if the provider sends it. */
export function shouldRetry(headers: Headers): boolean | undefined {
  const value = headers.get('x-should-retry');
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
