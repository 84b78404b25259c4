import { randomUUID } from 'node:crypto';
import { isExpired } from '@ravi/blob-kit';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, SweepReport } from '@ravi/kernel';
import type { BlobRecord } from './blob-record.ts';
import { listObjects } from './list-objects.ts';
import type { S3Storage } from './storage.ts';
import type { RecordStore } from './record-store.ts';
import { removeContent } from './store-blob.ts';
import { removeLeftovers } from './remove-leftovers.ts';

/** What {@link sweep} works on. */
export interface SweepRequest {
  readonly storage: S3Storage;
  readonly records: RecordStore;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A write or a removal that has not moved for so many milliseconds was left by a crash. */
  readonly orphanAgeMs: number;
  /** Writes of this process: never orphans, however long their source is silent. */
  readonly writing: ReadonlySet<BlobRef>;
}

/** Requests on their way at once. */
const sweepersAtOnce = 16;

/** Removes expired and unpinned blobs, then what crashes left. Other processes may work on the bucket meanwhile. */
export async function sweep(request: SweepRequest): Promise<SweepReport> {
  const { storage, records, now, orphanAgeMs, writing } = request;
  const id = randomUUID();
  let removed = 0;
  let kept = 0;
  let freedBytes = 0;

  async function visit(ref: BlobRef): Promise<void> {
    if (writing.has(ref)) return;
    let before: BlobRecord | undefined;
    const record = await records.update(ref, (found) => {
      before = found;
      return mayRemove(found) ? { state: 'removed', removedAt: now, sweep: id } : undefined;
    });
    if (record?.state === 'stored') kept += 1;
    if (record?.state !== 'removed') return;
    // Another sweep is at it, unless it died.
    if (record.sweep !== id && now - record.removedAt < orphanAgeMs) return;
    await removeContent(storage, ref);
    await records.remove(ref);
    if (before?.state !== 'stored') return;
    removed += 1;
    freedBytes += before.metadata.bytes;
  }

  function mayRemove(record: BlobRecord): boolean {
    if (record.state === 'pending') return now - record.renewedAt >= orphanAgeMs;
    return record.state === 'stored' && (record.pins.length === 0 || isExpired(record.metadata, now));
  }

  const refs = listObjects(storage, 'records');
  const sweeper = async (): Promise<void> => {
    for await (const { ref } of sharedBy(refs)) {
      await visit(ref).catch((error: unknown) => {
        // Damaged records tell neither pins nor expiry: the blob stays, so that its owner can still find out.
        if (!isKernelError(error, 'E_BLOB_CORRUPT')) throw error;
        kept += 1;
      });
    }
  };
  await Promise.all(Array.from({ length: sweepersAtOnce }, sweeper));
  freedBytes += await removeLeftovers(storage, records);
  return { removed, kept, freedBytes };
}

/** The rest of `items`, of which others take too; who leaves early does not end it for them. */
function sharedBy<Item>(items: AsyncGenerator<Item>): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => ({ next: () => items.next() }) };
}
