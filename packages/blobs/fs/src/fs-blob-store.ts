import type { FileHandle } from 'node:fs/promises';
import { resolve as resolvePath } from 'node:path';
import {
  abandonInput,
  blobNotFound,
  clipRange,
  createBlobRef,
  describeBlob,
  isBlobRef,
  isExpired,
  readChunks,
} from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import { systemClock } from '@ravi/kernel';
import type { BlobRef, BlobStore, Clock } from '@ravi/kernel';
import { guarded } from './errors.ts';
import { layoutOf, readMetadata } from './layout.ts';
import { addPin, countPins, removePin } from './pins.ts';
import { openContent, readContent, streamContent } from './read-content.ts';
import { removeBlob } from './durable.ts';
import { storeBlob } from './store-blob.ts';
import { sweep } from './sweep.ts';
import { createVerifiedFiles } from './verified-files.ts';

/** Options of {@link createFsBlobStore}. */
export interface FsBlobStoreOptions {
  /** Folder of the store, created if missing. Nothing outside of it is read or written. */
  readonly root: string;
  /**
   * Milliseconds after which `sweep` removes an unfinished write of another process that makes no progress; one hour by
   * default.
   */
  readonly orphanAgeMs?: number;
  /** Decides when a blob expires; the system clock by default. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Default of `orphanAgeMs`: one hour. */
export const defaultOrphanAgeMs = 3_600_000;

/**
 * Creates a blob store in a folder, which several processes may share. What `store` returned survives a crash of the
 * process and a power failure. Input over 1 MB is copied while it is written: do not change such a buffer until `store`
 * settles. A stream of `open` holds a file handle: read it to its end or cancel it.
 */
export function createFsBlobStore(options: FsBlobStoreOptions): BlobStore {
  const { root, orphanAgeMs = defaultOrphanAgeMs, clock = systemClock } = options;
  const layout = layoutOf(resolvePath(root));
  const writing = new Set<BlobRef>();
  const verified = createVerifiedFiles();

  async function find(ref: BlobRef): Promise<BlobMetadata | undefined> {
    if (!isBlobRef(ref)) return undefined;
    const metadata = await guarded('read a blob', () => readMetadata(layout.folderOf(ref), ref));
    return metadata === undefined || isExpired(metadata, clock.now()) ? undefined : metadata;
  }

  async function existing(ref: BlobRef): Promise<BlobMetadata> {
    const metadata = await find(ref);
    if (metadata === undefined) throw blobNotFound(ref);
    return metadata;
  }

  async function contentOf(metadata: BlobMetadata): Promise<FileHandle> {
    const { ref } = metadata;
    const file = await guarded('read a blob', () => openContent(layout.folderOf(ref), metadata));
    if (file === undefined) throw blobNotFound(ref);
    return file;
  }

  return {
    async store(data, options) {
      const { pinOwner, signal } = options;
      const chunks = readChunks(data, signal);
      const ref = createBlobRef();
      const description = describeBlob(ref, options, clock.now());
      writing.add(ref);
      try {
        await storeBlob({ layout, description, chunks, pinOwner, signal });
        return ref;
      } catch (error) {
        abandonInput(data, error);
        throw error;
      } finally {
        writing.delete(ref);
      }
    },

    async resolve(ref) {
      const metadata = await existing(ref);
      return readContent(await contentOf(metadata), metadata);
    },

    async open(ref, range = {}) {
      const metadata = await existing(ref);
      const clipped = clipRange(range, metadata.bytes);
      return streamContent(await contentOf(metadata), metadata, clipped, verified);
    },

    async stat(ref) {
      const metadata = await find(ref);
      if (metadata === undefined) return undefined;
      return { ...metadata, pins: await guarded('read pins', () => countPins(layout.folderOf(ref))) };
    },

    async pin(ref, owner) {
      await existing(ref);
      const isPinned = await guarded('pin a blob', () => addPin(layout.folderOf(ref), owner));
      if (!isPinned) throw blobNotFound(ref);
    },

    async unpin(ref, owner) {
      if (isBlobRef(ref)) await guarded('unpin a blob', () => removePin(layout.folderOf(ref), owner));
    },

    async delete(ref) {
      if (isBlobRef(ref)) await guarded('delete a blob', () => removeBlob(layout.folderOf(ref)));
    },

    async sweep(now, sweepOptions = {}) {
      return guarded('sweep', () => sweep({ layout, now, orphanAgeMs, writing, options: sweepOptions }));
    },
  };
}
