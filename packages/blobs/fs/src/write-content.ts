import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { chunkBytes } from '@ravi/blob-kit';
import { fileMode } from './durable.ts';
import { guarded } from './errors.ts';

/** What a write found out about its bytes. */
export interface ContentDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** So far, in bytes, the medium may stay behind: it works while the content arrives, not after its end. */
const flushIntervalBytes = 8 * chunkBytes;

/**
 * Writes `chunks` to the new file `path` and waits until the medium has them. Threads of the system write and flush
 * while this one hashes.
 */
export async function writeContent(path: string, chunks: AsyncIterable<Uint8Array>): Promise<ContentDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  let nextFlush = flushIntervalBytes;
  let flushing: Promise<void> | undefined;
  await using file = await guarded('create a file', () => open(path, 'wx', fileMode));
  for await (const batch of batchesOf(chunks)) {
    const writing = guarded('write a file', () => writeAll(file, batch));
    for (const chunk of batch) {
      hash.update(chunk);
      bytes += chunk.byteLength;
    }
    await writing;
    if (bytes < nextFlush) continue;
    await flushing;
    flushing = flush(file);
    nextFlush = bytes + flushIntervalBytes;
  }
  await flushing;
  await flush(file);
  return { bytes, sha256: hash.digest('hex') };
}

function flush(file: FileHandle): Promise<void> {
  const flushing = guarded('write a file', () => file.datasync());
  // The system reports a failed flush once only, so it is always awaited, but perhaps not before it fails.
  flushing.catch(() => {});
  return flushing;
}

/** Small chunks travel together: a call of the system costs the same for 64 KB as for 1 MB. */
async function* batchesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  for await (const chunk of chunks) {
    if (chunk.byteLength === 0) continue;
    batch.push(chunk);
    batchBytes += chunk.byteLength;
    if (batchBytes < chunkBytes) continue;
    yield batch;
    batch = [];
    batchBytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Appends all of `chunks`: one call of the system may write less than it was given, and calls that a success. */
export async function writeAll(file: Pick<FileHandle, 'writev'>, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = withoutFirst(rest, bytesWritten);
  }
}

function withoutFirst(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = bytes;
  for (const chunk of chunks) {
    if (skip < chunk.byteLength) rest.push(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.byteLength);
  }
  return rest;
}
