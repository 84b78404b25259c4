import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { blobCorrupt, streamOfChunks, verifiedChunks } from '@ravi/blob-kit';
import type { BlobMetadata, ClippedRange } from '@ravi/blob-kit';
import { unlessMissing } from './errors.ts';
import { contentPath } from './layout.ts';
import { readAhead } from './read-ahead.ts';
import type { ReadRequest } from './read-ahead.ts';

/**
 * The open content of the blob in `folder`, `undefined` when it is not there.
 * @throws KernelError `E_BLOB_CORRUPT` when its size is not the stored one
 */
export async function openContent(folder: string, { ref, bytes }: BlobMetadata): Promise<FileHandle | undefined> {
  const file = await unlessMissing(open(contentPath(folder), 'r'));
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  if (size === bytes) return file;
  await file.close();
  throw blobCorrupt(ref, `it has ${size} bytes and was stored with ${bytes}`);
}

/** All bytes, verified; closes `file`. */
export async function readContent(file: FileHandle, metadata: BlobMetadata): Promise<Uint8Array> {
  const content = new Uint8Array(metadata.bytes);
  const whole = { start: 0, end: metadata.bytes, isWhole: true };
  const chunks = chunksOf(file, metadata, whole, (offset, bytes) => content.subarray(offset, offset + bytes));
  for await (const chunk of chunks) void chunk;
  return content;
}

/** The bytes of `range` as a stream, verified when it covers the blob; closes `file` at its end or when cancelled. */
export function streamContent(
  file: FileHandle,
  metadata: BlobMetadata,
  range: ClippedRange,
): ReadableStream<Uint8Array> {
  const chunks = chunksOf(file, metadata, range, (_offset, bytes) => unclearedBytes(bytes));
  return streamOfChunks(chunks, () => file.close());
}

async function* chunksOf(
  file: FileHandle,
  metadata: BlobMetadata,
  { start, end, isWhole }: ClippedRange,
  targetFor: ReadRequest['targetFor'],
): AsyncGenerator<Uint8Array> {
  try {
    const chunks = readAhead({ file, ref: metadata.ref, start, end, targetFor });
    yield* isWhole ? verifiedChunks(chunks, metadata) : chunks;
  } finally {
    await file.close();
  }
}

/** Memory that is written over before anyone sees it: clearing 1 MB takes as long as reading it. */
function unclearedBytes(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
