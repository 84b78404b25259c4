import { blobCorrupt, isExpired, parseStored, requireMetadata } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import type { PartDigests } from './verified-range.ts';

/** State of a blob. It changes from `pending` to `stored` to `removed`, never back. */
export type BlobRecord = PendingRecord | StoredRecord | RemovedRecord;

/** Unfinished write: readers do not see the blob yet. */
export interface PendingRecord {
  readonly state: 'pending';
  /** Last sign of life of the writer, in milliseconds since the epoch. */
  readonly renewedAt: number;
}

/** Stored blob. */
export interface StoredRecord {
  readonly state: 'stored';
  readonly metadata: BlobMetadata;
  /** Absent for a content of one part, whose checksum is in the metadata. */
  readonly parts?: PartDigests;
  /** Distinct names of the pins. */
  readonly pins: readonly string[];
}

/** Blob that a sweep is removing: readers no longer see it, and its content may be gone. */
export interface RemovedRecord {
  readonly state: 'removed';
  /** Milliseconds since the epoch. */
  readonly removedAt: number;
  /** Id of the sweep that removes the blob, since several may try. */
  readonly sweep: string;
}

/** Returns true if readers see the blob at `now`. */
export function isVisible(record: BlobRecord | undefined, now: number): record is StoredRecord {
  return record?.state === 'stored' && !isExpired(record.metadata, now);
}

/** Parses a record. @throws KernelError `E_BLOB_CORRUPT` if `text` is not a record of `ref` */
export function parseRecord(text: string, ref: BlobRef): BlobRecord {
  const value = parseStored(text, ref);
  if (!isObject(value)) throw blobCorrupt(ref, 'its record is not an object');
  const { state, renewedAt, removedAt, sweep, pins, metadata, parts } = value;
  if (state === 'pending' && typeof renewedAt === 'number') return { state, renewedAt };
  if (state === 'removed' && typeof removedAt === 'number' && typeof sweep === 'string') {
    return { state, removedAt, sweep };
  }
  if (state === 'stored' && isListOfNames(pins) && (parts === undefined || isPartDigests(parts))) {
    const known = parts === undefined ? {} : { parts };
    return { state, metadata: requireMetadata(metadata, ref), ...known, pins };
  }
  throw blobCorrupt(ref, 'its record has missing or wrong fields');
}

function isListOfNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isPartDigests(value: unknown): value is PartDigests {
  return isObject(value) && Number.isSafeInteger(value['bytes']) && isListOfNames(value['sha256']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
