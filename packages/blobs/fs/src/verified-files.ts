import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { blobCorrupt, chunkBytes } from '@ravi/blob-kit';
import type { BlobMetadata } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { guarded } from './errors.ts';
import { readAhead } from './read-content.ts';

/** Maximum number of files that a store remembers as verified. */
const maxRemembered = 10_000;

/** Files whose whole content matched its checksum, so that a range of them can be trusted. */
export interface VerifiedFiles {
  /**
   * Yields the bytes from `start` to before `end`. Before its first range of a file, and again when the file has changed, the
   * store reads and verifies the whole file.
   * @throws KernelError `E_BLOB_CORRUPT`, also at the end if the file was changed in the meantime
   */
  range(
    file: FileHandle,
    metadata: BlobMetadata,
    place: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array>;
}

/** Creates {@link VerifiedFiles} that remembers the last 10 000 files. */
export function createVerifiedFiles(): VerifiedFiles {
  const verified = new Map<BlobRef, BigIntStats>();

  async function verify(file: FileHandle, metadata: BlobMetadata): Promise<BigIntStats> {
    const { ref, bytes, sha256 } = metadata;
    const before = await statOf(file);
    const known = verified.get(ref);
    if (known !== undefined && isSameFile(known, before)) return known;
    const hash = createHash('sha256');
    const targetFor = alternatingBuffers(Math.min(chunkBytes, bytes));
    for await (const chunk of readAhead({ file, ref, start: 0, end: bytes, targetFor })) hash.update(chunk);
    if (hash.digest('hex') !== sha256) throw blobCorrupt(ref, 'its content does not match its checksum');
    requireSame(ref, before, await statOf(file));
    verified.delete(ref);
    verified.set(ref, before);
    const [oldest] = verified.keys();
    if (verified.size > maxRemembered && oldest !== undefined) verified.delete(oldest);
    return before;
  }

  return {
    async *range(file, metadata, { start, end }) {
      const { ref } = metadata;
      const known = await verify(file, metadata);
      let last: Uint8Array | undefined;
      for await (const chunk of readAhead({ file, ref, start, end })) {
        if (last !== undefined) yield last;
        last = chunk;
      }
      // Before the last chunk, so that a reader never has the whole range of a changed file.
      requireSame(ref, known, await statOf(file));
      if (last !== undefined) yield last;
    },
  };
}

/** Returns memory for chunks of which one is hashed while the next is read: a large file leaves no garbage. */
function alternatingBuffers(size: number): (offset: number, bytes: number) => Uint8Array {
  const buffers = [new Uint8Array(size), new Uint8Array(size)] as const;
  return (offset, bytes) => buffers[(offset / chunkBytes) % 2 === 0 ? 0 : 1].subarray(0, bytes);
}

function statOf(file: FileHandle): Promise<BigIntStats> {
  return guarded('read a file', () => file.stat({ bigint: true }));
}

function requireSame(ref: BlobRef, before: BigIntStats, after: BigIntStats): void {
  if (!isSameFile(before, after)) throw blobCorrupt(ref, 'its content was changed while it was read');
}

// A program can set the time of the last write, but not the time of the last change. Deleting a file changes that time too.
function isSameFile(before: BigIntStats, after: BigIntStats): boolean {
  const isSameContent =
    before.dev === after.dev &&
    before.ino === after.ino &&
    before.size === after.size &&
    before.mtimeNs === after.mtimeNs;
  return isSameContent && (before.ctimeNs === after.ctimeNs || after.nlink === 0n);
}
