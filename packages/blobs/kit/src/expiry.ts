import type { BlobStat } from '@ravi/kernel';

/**
 * The moment a blob stored at `now` expires, `undefined` for never; both in milliseconds since the epoch.
 * @throws TypeError when `ttlMs` is negative or not finite
 */
export function expiryOf(ttlMs: number | undefined, now: number): number | undefined {
  if (ttlMs === undefined) return undefined;
  if (Number.isFinite(ttlMs) && ttlMs >= 0) return now + ttlMs;
  throw new TypeError(`ttlMs must be a number of milliseconds from 0, not ${ttlMs}`);
}

/** Whether a blob is gone for readers at `now`: its expiry is reached. */
export function isExpired(blob: Pick<BlobStat, 'expiresAt'>, now: number): boolean {
  return blob.expiresAt !== undefined && blob.expiresAt <= now;
}
