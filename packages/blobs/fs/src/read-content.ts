import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { blobCorrupt, chunkBytes, streamOfChunks, verifiedChunks } from '@ravi/blob-kit';
import type { BlobMetadata, ClippedRange } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { guarded, unlessMissing } from './errors.ts';
import { contentPath } from './layout.ts';

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

/** What {@link readAhead} reads: bytes `start` to before `end` of the content of `ref`. */
interface ReadRequest {
  readonly file: FileHandle;
  readonly ref: BlobRef;
  readonly start: number;
  readonly end: number;
  /** Memory for `bytes` bytes that lie `offset` bytes after `start`. */
  targetFor(offset: number, bytes: number): Uint8Array;
}

/**
 * Yields the bytes in chunks, each while a thread of the system reads the next.
 * @throws KernelError `E_BLOB_CORRUPT` when the file ends early
 */
async function* readAhead(request: ReadRequest): AsyncGenerator<Uint8Array> {
  const { start, end } = request;
  let reading = start < end ? readChunk(request, start) : undefined;
  for (let position = start; reading !== undefined;) {
    const chunk: Uint8Array = await reading;
    position += chunk.byteLength;
    reading = position < end ? readChunk(request, position) : undefined;
    // It is awaited one turn later, or never when the reader leaves: until then a failure is nobody's.
    reading?.catch(() => {});
    yield chunk;
  }
}

async function readChunk({ file, ref, start, end, targetFor }: ReadRequest, position: number): Promise<Uint8Array> {
  const target = targetFor(position - start, Math.min(chunkBytes, end - position));
  let filled = 0;
  while (filled < target.byteLength) {
    const rest = { offset: filled, length: target.byteLength - filled, position: position + filled };
    const { bytesRead } = await guarded('read a file', () => file.read(target, rest));
    if (bytesRead === 0) throw blobCorrupt(ref, `its content ends at byte ${position + filled}`);
    filled += bytesRead;
  }
  return target;
}
