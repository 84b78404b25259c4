import { createHash } from 'node:crypto';
import type { BlobStat } from '@ravi/kernel';
import { blobCorrupt } from './blob-ref.ts';

/** Passes `chunks` through. @throws KernelError `E_BLOB_CORRUPT` at their end if their checksum does not match */
export async function* verifiedChunks(
  chunks: AsyncIterable<Uint8Array>,
  { ref, sha256 }: Pick<BlobStat, 'ref' | 'sha256'>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw blobCorrupt(ref, 'its content does not match its checksum');
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
