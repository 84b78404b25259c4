import { KernelError } from '@ravi/kernel';
import type { BlobReader, BlobStore } from '@ravi/kernel';
import type { InvokerSession } from './session.ts';

/** Returns a reader of the blobs of one session only, for tools and for scripts through their bridge. */
export function sessionBlobs(session: InvokerSession, store: BlobStore | undefined): BlobReader {
  const owned = async (ref: string): Promise<BlobStore> => {
    const stat = await store?.stat(ref);
    if (store === undefined || stat === undefined) {
      throw new KernelError('E_BLOB_NOT_FOUND', `There is no artifact ${ref}`);
    }
    if (!session.owns(stat.scope)) {
      throw new KernelError('E_ARTIFACT_FORBIDDEN', `The artifact ${ref} belongs to another session`);
    }
    return store;
  };
  return {
    resolve: async (ref) => (await owned(ref)).resolve(ref),
    open: async (ref, range) => (await owned(ref)).open(ref, range),
    async stat(ref) {
      const stat = await store?.stat(ref);
      return stat !== undefined && session.owns(stat.scope) ? stat : undefined;
    },
  };
}
