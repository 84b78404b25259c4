import { createHash } from 'node:crypto';
import {
  blobNotFound,
  chunkBytes,
  clipRange,
  copyOf,
  createBlobRef,
  describeBlob,
  isExpired,
  readChunks,
} from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import { KernelError, systemClock } from '@ravi/kernel';
import type { BlobRef, BlobStore, Clock, SweepOptions } from '@ravi/kernel';

/** Options of {@link createMemoryBlobStore}. */
export interface MemoryBlobStoreOptions {
  /** Maximum number of content bytes kept at a time; no limit by default. */
  readonly maxBytes?: number;
  /** Decides when a blob expires; the system clock by default. */
  readonly clock?: Pick<Clock, 'now'>;
}

interface StoredBlob {
  readonly stat: BlobMetadata;
  readonly content: Uint8Array;
  readonly pins: Set<string>;
}

/**
 * Creates a blob store that lives as long as the process. Content is copied in and out, so callers cannot change what
 * is stored, and reads need no checksum. Above `maxBytes`, `store` fails with `E_BLOB_TOO_LARGE`.
 */
export function createMemoryBlobStore({ maxBytes, clock = systemClock }: MemoryBlobStoreOptions = {}): BlobStore {
  const blobs = new Map<BlobRef, StoredBlob>();
  let usedBytes = 0;

  function remove(blob: StoredBlob): void {
    if (blobs.delete(blob.stat.ref)) usedBytes -= blob.stat.bytes;
  }

  function removeExpired(): void {
    const now = clock.now();
    for (const blob of blobs.values()) if (isExpired(blob.stat, now)) remove(blob);
  }

  function reserve(bytes: number): void {
    if (maxBytes !== undefined && usedBytes + bytes > maxBytes) {
      removeExpired();
      if (usedBytes + bytes > maxBytes) throw storeIsFull(maxBytes);
    }
    usedBytes += bytes;
  }

  function find(ref: BlobRef): StoredBlob | undefined {
    const blob = blobs.get(ref);
    return blob === undefined || isExpired(blob.stat, clock.now()) ? undefined : blob;
  }

  function existing(ref: BlobRef): StoredBlob {
    const blob = find(ref);
    if (blob === undefined) throw blobNotFound(ref);
    return blob;
  }

  async function removeAbandonedPins(isAbandoned: NonNullable<SweepOptions['isAbandoned']>): Promise<void> {
    for (const { pins } of blobs.values()) {
      for (const owner of pins) if (await isAbandoned(owner)) pins.delete(owner);
    }
  }

  return {
    isPrivate: true,

    async store(data, options) {
      const { scope, pinOwner, signal } = options;
      const description = describeBlob(createBlobRef(), { ...options, scope: { ...scope } }, clock.now());
      const hash = createHash('sha256');
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      try {
        for await (const chunk of readChunks(data, signal)) {
          reserve(chunk.byteLength);
          bytes += chunk.byteLength;
          hash.update(chunk);
          chunks.push(chunk);
        }
      } catch (error) {
        usedBytes -= bytes;
        throw error;
      }
      const stat = { ...description, bytes, sha256: hash.digest('hex') };
      const pins = new Set(pinOwner === undefined ? [] : [pinOwner]);
      blobs.set(stat.ref, { stat, content: concatenate(chunks, bytes), pins });
      return stat.ref;
    },

    async resolve(ref) {
      return copyOf(existing(ref).content);
    },

    async open(ref, range = {}) {
      const { content } = existing(ref);
      const { start, end } = clipRange(range, content.byteLength);
      return streamOf(content.subarray(start, end));
    },

    async stat(ref) {
      const blob = find(ref);
      return blob && { ...blob.stat, scope: { ...blob.stat.scope }, pins: blob.pins.size };
    },

    async pin(ref, owner) {
      existing(ref).pins.add(owner);
    },

    async unpin(ref, owner) {
      blobs.get(ref)?.pins.delete(owner);
    },

    async delete(ref) {
      const blob = blobs.get(ref);
      if (blob !== undefined) remove(blob);
    },

    async sweep(now, { isAbandoned } = {}) {
      if (isAbandoned !== undefined) await removeAbandonedPins(isAbandoned);
      const before = { count: blobs.size, bytes: usedBytes };
      for (const blob of blobs.values()) if (blob.pins.size === 0 || isExpired(blob.stat, now)) remove(blob);
      return { removed: before.count - blobs.size, kept: blobs.size, freedBytes: before.bytes - usedBytes };
    },
  };
}

function storeIsFull(maxBytes: number): KernelError {
  const advice = 'delete or sweep blobs, or raise maxBytes';
  return new KernelError('E_BLOB_TOO_LARGE', `Memory blob store is full (${maxBytes} bytes): ${advice}`);
}

function concatenate(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const content = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    content.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return content;
}

function streamOf(content: Uint8Array): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= content.byteLength) return controller.close();
      const chunk = copyOf(content.subarray(offset, offset + chunkBytes));
      offset += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
}
