import { createBlobRef } from '@ravi/blob-kit';
import { KernelError, isKernelError } from '@ravi/kernel';
import { isRefusal } from './errors.ts';
import type { S3Storage } from './storage.ts';
import { createRecordStore } from './record-store.ts';
import type { WriteEntityTag } from './record-store.ts';

/** Amazon and most others take an ETag as they gave it; Ceph's gateway without its quotation marks. */
const forms: readonly WriteEntityTag[] = [(entityTag) => entityTag, (entityTag) => entityTag.replaceAll('"', '')];

/**
 * Finds out whether the bucket is there, may be written to, and keeps the conditions on which everything rests: some
 * servers ignore them and would lose pins in silence. It plays a write that never ends well; what a crash leaves of it
 * is swept like one. Gives the form in which the server takes ETags.
 * @throws KernelError `E_CONFIG_INVALID` for a bucket that is missing or ignores conditions, `E_BLOB_UNAVAILABLE` for
 * one that cannot be used now
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
    throw new KernelError('E_CONFIG_INVALID', `The bucket "${storage.bucket}" is not there: check name and region`, {
      cause: error.cause,
    });
  } finally {
    await records.remove(ref).catch(() => {});
  }
}

function ignored(header: string): KernelError {
  const message = `The S3 server does not keep the condition ${header} of PutObject, without which pins would be lost`;
  return new KernelError('E_CONFIG_INVALID', message);
}
