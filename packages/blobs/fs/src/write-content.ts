import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { chunkBytes } from '@ravi/blob-kit';
import { fileMode } from './durable.ts';
import { guarded } from './errors.ts';

/** Size and hash of written bytes. */
export interface ContentDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** Bytes between two flushes: the disk works while content arrives instead of after its end. */
const flushIntervalBytes = 8 * chunkBytes;

/**
 * Writes `chunks` to the new file `path` and waits until they are on disk. System threads write and flush while this
 * thread hashes.
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
  // The system reports a failed flush only once, so it is always awaited, though possibly after it failed.
  flushing.catch(() => {});
  return flushing;
}

/**
 * Joins small chunks: a system call costs the same for 64 KB as for 1 MB. After the first batch they are copied into one buffer,
 * which is overwritten once its batch is written: chunks that wait for each other live long enough to be collected late.
 */
async function* batchesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let first: Uint8Array[] | undefined = [];
  let joined: Uint8Array | undefined;
  let batchBytes = 0;
  for await (const chunk of chunks) {
    if (first !== undefined) {
      first.push(chunk);
      batchBytes += chunk.byteLength;
      if (batchBytes < chunkBytes) continue;
      yield first;
      first = undefined;
      batchBytes = 0;
      continue;
    }
    for (let rest = chunk; rest.byteLength > 0;) {
      if (batchBytes === 0 && rest.byteLength >= chunkBytes) {
        yield [rest];
        break;
      }
      joined ??= new Uint8Array(chunkBytes);
      const piece = rest.subarray(0, chunkBytes - batchBytes);
      joined.set(piece, batchBytes);
      batchBytes += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (batchBytes < chunkBytes) continue;
      yield [joined];
      batchBytes = 0;
    }
  }
  if (first !== undefined && batchBytes > 0) yield first;
  if (joined !== undefined && batchBytes > 0) yield [joined.subarray(0, batchBytes)];
}

/** Appends all of `chunks`: a system call may write less than it was given and still report success. */
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
