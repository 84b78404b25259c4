import type { FileHandle } from 'node:fs/promises';
import { blobCorrupt, chunkBytes, streamOfChunks, verifiedChunks } from '@ravi/blob-kit';
import type { BlobMetadata, ClippedRange } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { guarded } from './errors.ts';
import { contentPath, openRegular } from './layout.ts';
import type { VerifiedFiles } from './verified-files.ts';

/**
 * Opens the content of the blob in `folder`; `undefined` if it does not exist.
 * @throws KernelError `E_BLOB_CORRUPT` if it is not a regular file, or its size differs from the stored one
 */
export async function openContent(folder: string, { ref, bytes }: BlobMetadata): Promise<FileHandle | undefined> {
  const file = await openRegular(contentPath(folder), ref);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  if (size === bytes) return file;
  await file.close();
  throw blobCorrupt(ref, `it has ${size} bytes instead of ${bytes}`);
}

/** Reads all bytes, verifies them and closes `file`. */
export async function readContent(file: FileHandle, metadata: BlobMetadata): Promise<Uint8Array> {
  const content = new Uint8Array(metadata.bytes);
  const targetFor = (offset: number, bytes: number): Uint8Array => content.subarray(offset, offset + bytes);
  const whole = readAhead({ file, ref: metadata.ref, start: 0, end: metadata.bytes, targetFor });
  const chunks = closing(file, verifiedChunks(whole, metadata));
  for await (const chunk of chunks) void chunk;
  return content;
}

/** Returns the bytes of `range` as a verified stream. Closes `file` at the end or on cancel. */
export function streamContent(
  file: FileHandle,
  metadata: BlobMetadata,
  range: ClippedRange,
  verified: VerifiedFiles,
): ReadableStream<Uint8Array> {
  const chunks = range.isWhole
    ? verifiedChunks(readAhead({ file, ref: metadata.ref, ...range }), metadata)
    : verified.range(file, metadata, range);
  return streamOfChunks(closing(file, chunks), () => file.close());
}

async function* closing(file: FileHandle, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    await file.close();
  }
}

/** Memory that is not cleared, because it is overwritten before use: clearing 1 MB takes as long as reading it. */
function unclearedBytes(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}

// The more chunks there are, the sooner their memory is collected: a download of 1 GB takes 56 MB in chunks of 128 KiB, 1 MB in these.
const freshChunkBytes = 32_768;

/** Request to {@link readAhead} for the bytes of `ref` from `start` to before `end`. */
export interface ReadRequest {
  readonly file: FileHandle;
  readonly ref: BlobRef;
  readonly start: number;
  readonly end: number;
  /** Memory for the `bytes` bytes that begin `offset` bytes after `start`; new memory when absent. */
  targetFor?(offset: number, bytes: number): Uint8Array;
}

/**
 * Yields the bytes in chunks; while one is consumed, a system thread reads the next.
 * @throws KernelError `E_BLOB_CORRUPT` if the file ends early
 */
export async function* readAhead(request: ReadRequest): AsyncGenerator<Uint8Array> {
  const { start, end } = request;
  let reading = start < end ? readChunk(request, start) : undefined;
  for (let position = start; reading !== undefined;) {
    const chunk: Uint8Array = await reading;
    position += chunk.byteLength;
    reading = position < end ? readChunk(request, position) : undefined;
    // Awaited in the next round, or never if the reader leaves: until then a rejection must not count as unhandled.
    reading?.catch(() => {});
    yield chunk;
  }
}

async function readChunk(request: ReadRequest, position: number): Promise<Uint8Array> {
  const { file, ref, start, end } = request;
  const bytes = Math.min(request.targetFor === undefined ? freshChunkBytes : chunkBytes, end - position);
  const target = request.targetFor?.(position - start, bytes) ?? unclearedBytes(bytes);
  let filled = 0;
  while (filled < target.byteLength) {
    const rest = { offset: filled, length: target.byteLength - filled, position: position + filled };
    const { bytesRead } = await guarded('read a file', () => file.read(target, rest));
    if (bytesRead === 0) throw blobCorrupt(ref, `its content ends at byte ${position + filled}`);
    filled += bytesRead;
  }
  return target;
}
