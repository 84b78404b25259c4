import { AbortMultipartUploadCommand } from '@aws-sdk/client-s3';
import { guarded, isRefusal } from './errors.ts';
import { listObjects, listUploads } from './list-objects.ts';
import type { ListedObject, ListedUpload } from './list-objects.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';
import type { RecordStore } from './record-store.ts';
import { removeContent } from './store-blob.ts';

/**
 * Removes content and uploads without a record. A write creates its record first, so anything without one is dead, even
 * if it is new. Returns the number of freed content bytes.
 */
export async function removeLeftovers(storage: S3Storage, records: RecordStore): Promise<number> {
  let freedBytes = 0;
  for await (const { ref, bytes } of withoutRecord(storage)) {
    // The two lists were read one after the other: a write may have started in between.
    if (await records.has(ref)) continue;
    await removeContent(storage, ref);
    freedBytes += bytes;
  }
  for await (const upload of listUploads(storage)) {
    if (!(await records.has(upload.ref))) await abortUpload(storage, upload);
  }
  return freedBytes;
}

/** Yields content without a record. Both lists are in the order of the refs. */
async function* withoutRecord(storage: S3Storage): AsyncGenerator<ListedObject> {
  const records = listObjects(storage, 'records');
  let record = await records.next();
  for await (const content of listObjects(storage, 'content')) {
    while (record.done !== true && record.value.ref < content.ref) record = await records.next();
    if (record.done === true || record.value.ref !== content.ref) yield content;
  }
}

async function abortUpload(storage: S3Storage, { ref, uploadId }: ListedUpload): Promise<void> {
  const abort = new AbortMultipartUploadCommand({ ...addressOf(storage, 'content', ref), UploadId: uploadId });
  await guarded('abort an upload', async () => {
    try {
      await storage.client.send(abort);
    } catch (error) {
      if (!isRefusal(error, 'NoSuchUpload')) throw error;
    }
  });
}
