import type { FileHandle } from 'node:fs/promises';
import { blobCorrupt, chunkBytes } from '@ravi/blob-kit';
import type { BlobRef } from '@ravi/kernel';
import { guarded } from './errors.ts';

/** What {@link readAhead} reads: bytes `start` to before `end` of the content of `ref`. */
export interface ReadRequest {
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
export async function* readAhead(request: ReadRequest): AsyncGenerator<Uint8Array> {
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
