import { blobCorrupt, isExpired, parseStored, requireMetadata } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';

/** What the record of a blob says. It goes from `pending` to `stored` to `removed`, and never back. */
export type BlobRecord = PendingRecord | StoredRecord | RemovedRecord;

/** A write is under way: nobody sees a blob yet. */
export interface PendingRecord {
  readonly state: 'pending';
  /** When the writer last said that it lives, in milliseconds since the epoch. */
  readonly renewedAt: number;
}

/** The blob is there. */
export interface StoredRecord {
  readonly state: 'stored';
  readonly metadata: BlobMetadata;
  /** Names of the pins, each once. */
  readonly pins: readonly string[];
}

/** A sweep takes the blob away: nobody sees it any more, and its content may be gone. */
export interface RemovedRecord {
  readonly state: 'removed';
  /** Milliseconds since the epoch. */
  readonly removedAt: number;
  /** Tells the sweeps apart that want to be the one. */
  readonly sweep: string;
}

/** A blob that readers see at `now`. */
export function isVisible(record: BlobRecord | undefined, now: number): record is StoredRecord {
  return record?.state === 'stored' && !isExpired(record.metadata, now);
}

/** Reads a record. @throws KernelError `E_BLOB_CORRUPT` when `text` is none of `ref` */
export function parseRecord(text: string, ref: BlobRef): BlobRecord {
  const value = parseStored(text, ref);
  if (!isObject(value)) throw blobCorrupt(ref, 'its record is no object');
  const { state, renewedAt, removedAt, sweep, pins, metadata } = value;
  if (state === 'pending' && typeof renewedAt === 'number') return { state, renewedAt };
  if (state === 'removed' && typeof removedAt === 'number' && typeof sweep === 'string') {
    return { state, removedAt, sweep };
  }
  if (state === 'stored' && isListOfNames(pins)) return { state, metadata: requireMetadata(metadata, ref), pins };
  throw blobCorrupt(ref, 'its record is not that of a blob');
}

function isListOfNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
