import { createHash } from 'node:crypto';
import type { BlobStat } from '@ravi/kernel';
import { blobCorrupt } from './blob-errors.ts';

/** Passes `chunks` on. @throws KernelError `E_BLOB_CORRUPT` at their end when they are not what was stored */
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

/** `chunks` as a stream that takes one when it is asked for one; `close` is called when its reader leaves early. */
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
