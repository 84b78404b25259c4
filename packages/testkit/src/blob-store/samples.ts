import { createHash } from 'node:crypto';
import type { BlobScope, StoreOptions } from '@ravi/kernel';

/** Scope of the blobs that the suite stores. */
export const scope: BlobScope = { principal: 'user:ada', sessionId: 'session-1' };

/** The options of a case that is about something else. */
export const storeOptions: StoreOptions = { mediaType: 'application/octet-stream', scope };

/** `length` bytes that do not compress or repeat, the same for the same `seed` (a linear congruential generator). */
export function noiseOf(length: number, seed: number = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** Lower-case hexadecimal SHA-256. */
export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A stream of `bytes` in pieces of `chunkBytes`, made as they are asked for. */
export function streamOf(bytes: Uint8Array, chunkBytes: number): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset >= bytes.byteLength) return controller.close();
      controller.enqueue(new Uint8Array(bytes.subarray(offset, offset + chunkBytes)));
      offset += chunkBytes;
    },
  });
}

/** All bytes of a stream. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
