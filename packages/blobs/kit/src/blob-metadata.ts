import type { BlobRef, BlobStat, StoreOptions } from '@ravi/kernel';
import { blobCorrupt } from './blob-ref.ts';

/** Metadata of a blob, fixed when it is stored; only its pins change later. */
export type BlobMetadata = Omit<BlobStat, 'pins'>;

/** Metadata of a blob before its content has been read. */
export type BlobDescription = Omit<BlobMetadata, 'bytes' | 'sha256'>;

/**
 * Describes a blob stored at `now`, in milliseconds since the epoch.
 * @throws TypeError if `ttlMs` is negative or not finite
 */
export function describeBlob(
  ref: BlobRef,
  { mediaType, scope, ttlMs, name, tool, runId }: Omit<StoreOptions, 'pinOwner' | 'signal'>,
  now: number,
): BlobDescription {
  const expiresAt = expiryOf(ttlMs, now);
  return {
    ref,
    mediaType,
    scope,
    createdAt: now,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(name === undefined ? {} : { name }),
    ...(tool === undefined ? {} : { tool }),
    ...(runId === undefined ? {} : { runId }),
  };
}

/** Parses metadata that a store wrote as JSON. @throws KernelError `E_BLOB_CORRUPT` if `text` is not JSON */
export function parseStored(text: string, ref: BlobRef): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw blobCorrupt(ref, 'its metadata is not JSON', error);
  }
}

/** Returns `value` as the metadata of `ref`. @throws KernelError `E_BLOB_CORRUPT` if it is anything else */
export function requireMetadata(value: unknown, ref: BlobRef): BlobMetadata {
  if (isMetadata(value) && value.ref === ref) return value;
  throw blobCorrupt(ref, 'its metadata has missing or wrong fields');
}

function isMetadata(value: unknown): value is BlobMetadata {
  if (!isObject(value) || !isObject(value['scope'])) return false;
  const { ref, mediaType, bytes, sha256, createdAt, expiresAt = 0, scope } = value;
  const { name = '', tool = '', runId = '' } = value;
  const strings = [ref, mediaType, sha256, scope['principal'], scope['sessionId'], name, tool, runId];
  const numbers = [bytes, createdAt, expiresAt];
  return strings.every((entry) => typeof entry === 'string') && numbers.every((entry) => typeof entry === 'number');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Returns when a blob stored at `now` expires, `undefined` for never; both in milliseconds since the epoch.
 * @throws TypeError if `ttlMs` is negative or not finite
 */
export function expiryOf(ttlMs: number | undefined, now: number): number | undefined {
  if (ttlMs === undefined) return undefined;
  if (Number.isFinite(ttlMs) && ttlMs >= 0) return now + ttlMs;
  throw new TypeError(`ttlMs must be a number of milliseconds, 0 or more, not ${ttlMs}`);
}

/** Returns true if a blob has expired at `now` and readers no longer see it. */
export function isExpired(blob: Pick<BlobStat, 'expiresAt'>, now: number): boolean {
  return blob.expiresAt !== undefined && blob.expiresAt <= now;
}
