import { randomFillSync } from 'node:crypto';
import type { BlobRef, BlobStore, StoreOptions } from '@ravi/kernel';
import type { Contender } from './interleave.ts';
import type { BenchRow } from './row.ts';

/** Bytes of a megabyte. */
export const megabyte: number = 1024 * 1024;

/** Bytes of the blob that is measured. */
const blobBytes: number = 200 * megabyte;

/** Options of every store. */
export const storeOptions: StoreOptions = {
  mediaType: 'application/octet-stream',
  scope: { principal: 'bench', sessionId: 'bench' },
};

/** Times `run`; its result goes to `clean`, which is not timed. */
export function timed<Value>(
  name: string,
  run: () => Promise<Value>,
  clean?: (value: Value) => Promise<void>,
): Contender {
  return {
    name,
    async measure() {
      const start = performance.now();
      const value = await run();
      const durationMs = performance.now() - start;
      await clean?.(value);
      return durationMs;
    },
  };
}

/** Measures the growth of the heap while 200 MB are written and read again. */
export async function heapRow(group: string, store: BlobStore, goal: string): Promise<BenchRow> {
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const look = (): void => void (peak = Math.max(peak, process.memoryUsage().heapUsed));
  const ref = await store.store(ReadableStream.from(pieces(64 * 1024, look)), storeOptions);
  await drain(await store.open(ref), look);
  await store.delete(ref);
  const ours = (peak - before) / megabyte;
  return { group, name: 'heap growth, 200 MB in and out', ours, unit: 'MB', goal };
}

const noise = randomFillSync(new Uint8Array(megabyte));

/** Streams the bytes of the blob from one reused buffer. */
export async function* pieces(pieceBytes: number, look?: () => void): AsyncGenerator<Uint8Array> {
  const piece = noise.subarray(0, pieceBytes);
  for (let sent = 0; sent < blobBytes; sent += pieceBytes) {
    look?.();
    yield piece;
  }
}

/** Reads a blob to its end. */
export async function readBack(store: BlobStore, ref: BlobRef): Promise<BlobRef> {
  await drain(await store.open(ref));
  return ref;
}

/** Reads a stream to its end. @throws Error if its length differs from that of the blob */
export async function drain(stream: AsyncIterable<Uint8Array>, look?: () => void): Promise<void> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    look?.();
  }
  if (bytes !== blobBytes) throw new Error(`The stream gave ${bytes} bytes instead of ${blobBytes}`);
}
