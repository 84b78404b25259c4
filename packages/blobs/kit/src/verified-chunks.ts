import { createHash } from 'node:crypto';
import type { BlobStat } from '@ravi/kernel';
import { blobCorrupt } from './blob-ref.ts';

/**
 * Passes `chunks` through, the last one only if the checksum of all of them matches.
 * @throws KernelError `E_BLOB_CORRUPT` instead of the last chunk if it does not match
 */
export async function* verifiedChunks(
  chunks: AsyncIterable<Uint8Array>,
  { ref, sha256 }: Pick<BlobStat, 'ref' | 'sha256'>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    // Nothing follows an empty chunk that a reader could miss.
    if (chunk.byteLength === 0) continue;
    if (last !== undefined) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (hash.digest('hex') !== sha256) throw blobCorrupt(ref, 'its content does not match its checksum');
  if (last !== undefined) yield last;
}

/** Returns `chunks` as a stream that reads one chunk per pull. Calls `close` if the reader cancels. */
export function streamOfChunks(
  chunks: AsyncGenerator<Uint8Array>,
  close: () => void | Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      controller.enqueue(value);
    },
    cancel: close,
  });
}
