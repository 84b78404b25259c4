import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BlobStore } from '@ravi/kernel';
import { passChunks } from './pass-chunks.ts';

type Collect = (options: { readonly type: 'minor' }) => void;

// V8 itself waits for 64 MB of them.
const bytesPerCollection = 8 * 1024 * 1024;

let collect: Collect | undefined;
let passedBytes = 0;

/**
 * Returns a store that frees the chunks of its streams soon after their use, in this process: V8 does not see that the small objects
 * of a stream hold much memory, and would keep tens of megabytes of them.
 */
export function withCollectedChunks(blobStore: BlobStore): BlobStore {
  const counted = (content: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
    passChunks(content, {
      onChunk: (chunk: unknown) => collectAfter(chunk instanceof Uint8Array ? chunk.byteLength : 0),
    });
  return {
    store: (data, options) => blobStore.store(data instanceof ReadableStream ? counted(data) : data, options),
    resolve: (ref) => blobStore.resolve(ref),
    open: async (ref, range) => counted(await blobStore.open(ref, range)),
    stat: (ref) => blobStore.stat(ref),
    pin: (ref, owner) => blobStore.pin(ref, owner),
    unpin: (ref, owner) => blobStore.unpin(ref, owner),
    sweep: (now, options) => blobStore.sweep(now, options),
    delete: (ref) => blobStore.delete(ref),
  };
}

// Only the young generation, which takes about a millisecond.
function collectAfter(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < bytesPerCollection) return;
  passedBytes = 0;
  collect ??= findCollector();
  collect({ type: 'minor' });
}

/** Returns the function that `--expose-gc` gives to new contexts. The flag is set only meanwhile, so that no script gets it. */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('typeof gc === "function" ? gc : () => {}') as Collect;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
