import type { BlobRef, BlobStat, StoreOptions } from '@ravi/kernel';
import { blobCorrupt } from './blob-errors.ts';

/** What is fixed when a blob is stored; only its pins change later. */
export type BlobMetadata = Omit<BlobStat, 'pins'>;

/** What is known of a blob before its content was read. */
export type BlobDescription = Omit<BlobMetadata, 'bytes' | 'sha256'>;

/**
 * Describes a blob that is stored at `now`, in milliseconds since the epoch.
 * @throws TypeError when `ttlMs` is no duration
 */
export function describeBlob(
  ref: BlobRef,
  { mediaType, scope, ttlMs }: Pick<StoreOptions, 'mediaType' | 'scope' | 'ttlMs'>,
  now: number,
): BlobDescription {
  const expiresAt = expiryOf(ttlMs, now);
  return { ref, mediaType, scope, createdAt: now, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** The value that a store wrote as JSON. @throws KernelError `E_BLOB_CORRUPT` when `text` is not JSON */
export function parseStored(text: string, ref: BlobRef): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw blobCorrupt(ref, 'its metadata is not JSON', error);
  }
}

/** Takes what a store kept for the metadata of `ref`. @throws KernelError `E_BLOB_CORRUPT` when it is something else */
export function requireMetadata(value: unknown, ref: BlobRef): BlobMetadata {
  if (isMetadata(value) && value.ref === ref) return value;
  throw blobCorrupt(ref, 'its metadata is not that of a blob');
}

function isMetadata(value: unknown): value is BlobMetadata {
  if (!isObject(value) || !isObject(value['scope'])) return false;
  const { ref, mediaType, bytes, sha256, createdAt, expiresAt = 0, scope } = value;
  const strings = [ref, mediaType, sha256, scope['principal'], scope['sessionId']];
  const numbers = [bytes, createdAt, expiresAt];
  return strings.every((entry) => typeof entry === 'string') && numbers.every((entry) => typeof entry === 'number');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

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
