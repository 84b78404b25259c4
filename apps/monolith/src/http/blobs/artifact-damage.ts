import type { Artifact } from '@ravi/api';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, BlobStore, Clock, Logger } from '@ravi/kernel';
import { downloadName } from '@ravi/support';
import { passChunks } from './pass-chunks.ts';

/** Reads of artifacts that found them damaged, so that the runs which made or used them show it. */
export interface ArtifactDamage {
  /** Store of the process. A read that finds an artifact damaged is logged and remembered. */
  readonly store: BlobStore;
  /** Returns the metadata of an artifact, with the name of its download and the time when it was first found damaged; `undefined` if it does not exist. */
  stat(ref: BlobRef): Promise<Artifact | undefined>;
}

/** Options of {@link createArtifactDamage}. */
export interface ArtifactDamageOptions {
  readonly blobStore: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxRemembered = 10_000;

/** Creates the record of a process. It begins empty: damage is found again by the next read. */
export function createArtifactDamage({ blobStore, clock, logger }: ArtifactDamageOptions): ArtifactDamage {
  const foundAt = new Map<BlobRef, number>();

  function note(ref: BlobRef, error: unknown): void {
    if (!isKernelError(error, 'E_BLOB_CORRUPT') || foundAt.has(ref)) return;
    foundAt.set(ref, clock.now());
    const [oldest] = foundAt.keys();
    if (foundAt.size > maxRemembered && oldest !== undefined) foundAt.delete(oldest);
    logger.error('an artifact is damaged', { ref, error });
  }

  async function noting<Result>(ref: BlobRef, read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      note(ref, error);
      throw error;
    }
  }

  return {
    store: {
      store: (data, options) => blobStore.store(data, options),
      resolve: (ref) => noting(ref, () => blobStore.resolve(ref)),
      async open(ref, range) {
        const content = await noting(ref, () => blobStore.open(ref, range));
        return passChunks(content, { onError: (error) => note(ref, error) });
      },
      stat: (ref) => noting(ref, () => blobStore.stat(ref)),
      pin: (ref, owner) => blobStore.pin(ref, owner),
      unpin: (ref, owner) => blobStore.unpin(ref, owner),
      sweep: (now, options) => blobStore.sweep(now, options),
      async delete(ref) {
        await blobStore.delete(ref);
        foundAt.delete(ref);
      },
    },
    async stat(ref) {
      const stat = await blobStore.stat(ref);
      const damagedAt = foundAt.get(ref);
      if (stat === undefined) return undefined;
      return { ...stat, fileName: downloadName(stat), ...(damagedAt === undefined ? {} : { damagedAt }) };
    },
  };
}
