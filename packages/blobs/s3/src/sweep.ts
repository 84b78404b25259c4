import { randomUUID } from 'node:crypto';
import { abandonedPins, isExpired } from '@ravi/blob-kit';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, SweepOptions, SweepReport } from '@ravi/kernel';
import type { BlobRecord } from './blob-record.ts';
import { listObjects } from './list-objects.ts';
import type { S3Storage } from './storage.ts';
import type { RecordStore } from './record-store.ts';
import { removeContent } from './store-blob.ts';
import { removeLeftovers } from './remove-leftovers.ts';

/** Input of {@link sweep}. */
export interface SweepRequest {
  readonly storage: S3Storage;
  readonly records: RecordStore;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A write or a removal without progress for this many milliseconds was left by a crash. */
  readonly orphanAgeMs: number;
  /** Writes of this process. They are never orphans, even if their source is silent for long. */
  readonly writing: ReadonlySet<BlobRef>;
  readonly options: SweepOptions;
}

/** Records visited at the same time. */
const sweepersAtOnce = 16;

/** Removes expired and unpinned blobs, then the remains of crashes. Other processes may use the bucket meanwhile. */
export async function sweep(request: SweepRequest): Promise<SweepReport> {
  const { storage, records, now, orphanAgeMs, writing, options } = request;
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
    if (record?.state === 'stored' && (await releaseAbandoned(ref, record.pins))) {
      kept -= 1;
      await visit(ref);
      return;
    }
    if (record?.state !== 'removed') return;
    // Another sweep is removing it, unless that sweep died.
    if (record.sweep !== id && now - record.removedAt < orphanAgeMs) return;
    await removeContent(storage, ref);
    await records.remove(ref);
    if (before?.state !== 'stored') return;
    removed += 1;
    freedBytes += before.metadata.bytes;
  }

  async function releaseAbandoned(ref: BlobRef, pins: readonly string[]): Promise<boolean> {
    const names = await abandonedPins(pins, options);
    if (names.size === 0) return false;
    await records.update(ref, (found) =>
      found.state === 'stored' && found.pins.some((pin) => names.has(pin))
        ? { ...found, pins: found.pins.filter((pin) => !names.has(pin)) }
        : undefined,
    );
    return true;
  }

  function mayRemove(record: BlobRecord): boolean {
    if (record.state === 'pending') return now - record.renewedAt >= orphanAgeMs;
    return record.state === 'stored' && (record.pins.length === 0 || isExpired(record.metadata, now));
  }

  const refs = listObjects(storage, 'records');
  const sweeper = async (): Promise<void> => {
    for await (const { ref } of sharedBy(refs)) {
      await visit(ref).catch((error: unknown) => {
        // A damaged record has neither pins nor expiry: the blob stays, so that its owner can still see the damage.
        if (!isKernelError(error, 'E_BLOB_CORRUPT')) throw error;
        kept += 1;
      });
    }
  };
  await Promise.all(Array.from({ length: sweepersAtOnce }, sweeper));
  freedBytes += await removeLeftovers(storage, records);
  return { removed, kept, freedBytes };
}

/** Iterates over `items` together with other consumers; leaving early does not end it for the others. */
function sharedBy<Item>(items: AsyncGenerator<Item>): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => ({ next: () => items.next() }) };
}
