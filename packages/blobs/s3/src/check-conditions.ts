import { createBlobRef } from '@ravi/blob-kit';
import { KernelError, isKernelError } from '@ravi/kernel';
import { isRefusal } from './errors.ts';
import type { S3Storage } from './storage.ts';
import { createRecordStore } from './record-store.ts';
import type { WriteEntityTag } from './record-store.ts';

/**
 * Amazon and most other servers accept an ETag as they returned it; Ceph's gateway accepts it without the quotation
 * marks.
 */
const forms: readonly WriteEntityTag[] = [(entityTag) => entityTag, (entityTag) => entityTag.replaceAll('"', '')];

/**
 * Checks that the bucket exists, is writable and honours conditional writes. The store depends on them: some servers
 * ignore conditions and would silently lose pins. The check writes a record that is never completed; if a crash leaves
 * it, a sweep removes it like any other. Returns the form in which the server accepts ETags.
 * @throws KernelError `E_CONFIG_INVALID` if the bucket is missing or ignores conditions, `E_BLOB_UNAVAILABLE` if it
 * cannot be used now
 */
export async function checkConditions(storage: S3Storage, now: number): Promise<WriteEntityTag> {
  const ref = createBlobRef();
  const records = createRecordStore(storage, (entityTag) => entityTag);
  const step = (count: number) => ({ state: 'pending', renewedAt: now + count }) as const;
  try {
    const first = await records.create(ref, step(0));
    if (first === undefined || (await records.create(ref, step(1))) !== undefined) throw ignored('If-None-Match');
    for (const form of forms) {
      const second = await records.replace(ref, step(2), form(first));
      if (second === undefined) continue;
      if ((await records.replace(ref, step(3), form(first))) !== undefined) throw ignored('If-Match');
      await records.remove(ref);
      if ((await records.replace(ref, step(4), form(second))) !== undefined) throw ignored('If-Match');
      return form;
    }
    throw ignored('If-Match');
  } catch (error) {
    if (!isKernelError(error) || !isRefusal(error.cause, 'NoSuchBucket', 'PermanentRedirect')) throw error;
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The bucket "${storage.bucket}" does not exist: check its name and region`,
      {
        cause: error.cause,
      },
    );
  } finally {
    await records.remove(ref).catch(() => {});
  }
}

function ignored(header: string): KernelError {
  const message = `The S3 server ignores the header ${header} of PutObject; without it pins would be lost`;
  return new KernelError('E_CONFIG_INVALID', message);
}
