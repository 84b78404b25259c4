import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { pinNameOf, throwIfCancelled } from '@ravi/blob-kit';
import type { BlobDescription } from '@ravi/blob-kit';
import { KernelError } from '@ravi/kernel';
import type { BlobRef, Clock } from '@ravi/kernel';
import type { BlobRecord } from './blob-record.ts';
import { guarded } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';
import type { RecordStore } from './record-store.ts';
import { uploadContent } from './upload-content.ts';
import type { UploadRequest } from './upload-content.ts';

/** A blob to write. */
export interface StoreRequest extends Omit<UploadRequest, 'ref' | 'onProgress'> {
  readonly records: RecordStore;
  readonly description: BlobDescription;
  readonly pinOwner: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly orphanAgeMs: number;
}

/**
 * Creates a pending record, uploads the content and turns the record into that of a stored blob with one conditional
 * write, which fails if a sweep has given the writer up meanwhile. Leaves nothing after a failure.
 */
export async function storeBlob(request: StoreRequest): Promise<void> {
  const { storage, records, description, pinOwner, clock, orphanAgeMs, signal } = request;
  const { ref } = description;
  throwIfCancelled(signal);
  try {
    let renewedAt = clock.now();
    let version = requireOwn(await records.create(ref, { state: 'pending', renewedAt }));
    const move = async (next: BlobRecord): Promise<void> => {
      version = requireOwn(await records.replace(ref, next, version));
    };
    const onProgress = async (): Promise<void> => {
      const now = clock.now();
      if (now - renewedAt < orphanAgeMs / 2) return;
      renewedAt = now;
      await move({ state: 'pending', renewedAt });
    };
    const { parts, ...digest } = await uploadContent({ ...request, ref, onProgress });
    throwIfCancelled(signal);
    const pins = pinOwner === undefined ? [] : [pinNameOf(pinOwner)];
    const known = parts === undefined ? {} : { parts };
    await move({ state: 'stored', metadata: { ...description, ...digest }, ...known, pins });
  } catch (error) {
    // The caller must see the first failure; `sweep` removes what cannot be removed now.
    await removeBlob(storage, records, ref).catch(() => {});
    throw error;
  }
}

/** Hides the blob from readers, then removes its content from the bucket. A missing blob is not an error. */
export async function removeBlob(storage: S3Storage, records: RecordStore, ref: BlobRef): Promise<void> {
  await records.remove(ref);
  await removeContent(storage, ref);
}

/** Removes the content of `ref`, if it exists. */
export async function removeContent(storage: S3Storage, ref: BlobRef): Promise<void> {
  const remove = new DeleteObjectCommand(addressOf(storage, 'content', ref));
  await guarded('remove content', () => storage.client.send(remove));
}

function requireOwn(version: string | undefined): string {
  if (version !== undefined) return version;
  const message =
    'The blob store cannot store a blob: its source was silent for so long that a sweep removed the write';
  throw new KernelError('E_BLOB_UNAVAILABLE', message, { retryable: true });
}
