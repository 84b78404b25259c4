import { KernelError } from '@ravi/kernel';

/** Size of the pieces in which blobs are read and written, in bytes. */
export const chunkBytes: number = 1024 * 1024;

/** What `BlobStore.store` accepts. */
export type BlobInput = Uint8Array | string | ReadableStream<Uint8Array>;

/**
 * The bytes of `data` in order, in pieces of at most {@link chunkBytes} or as the stream gives them. Bytes up to one
 * piece are copied at the call and larger ones piece by piece, so what was yielded never changes; pieces of a stream
 * are handed over as they are. Leaving the loop early cancels the stream.
 * @throws KernelError `E_CANCELLED` when `signal` is aborted, even while the stream is silent
 */
export function readChunks(data: BlobInput, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  if (typeof data === 'string') return slices(new TextEncoder().encode(data), signal);
  if (!(data instanceof Uint8Array)) return streamed(data, signal);
  return data.byteLength > chunkBytes ? copies(data, signal) : slices(copyOf(data), signal);
}

/** Tells the source of a stream that nobody began to read that nobody will. */
export function abandonInput(data: BlobInput, reason: unknown): void {
  if (typeof data === 'string' || data instanceof Uint8Array || data.locked) return;
  data.cancel(reason).catch(() => {});
}

/** A copy of `bytes` with a buffer of its own. `Buffer.slice` would be a view. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** @throws KernelError `E_CANCELLED` when `signal` is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new KernelError('E_CANCELLED', 'Storing the blob was cancelled', { cause: signal.reason });
}

async function* slices(bytes: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  throwIfCancelled(signal);
  for (let offset = 0; offset < bytes.byteLength; offset += chunkBytes) {
    yield bytes.subarray(offset, offset + chunkBytes);
    throwIfCancelled(signal);
  }
}

async function* copies(bytes: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for await (const slice of slices(bytes, signal)) yield copyOf(slice);
}

async function* streamed(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  // Cancelling ends a pending read at once; what the source says to it does not matter any more.
  const cancel = (): void => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    throwIfCancelled(signal);
    for (;;) {
      const { done, value } = await reader.read();
      throwIfCancelled(signal);
      if (done) return;
      if (!(value instanceof Uint8Array)) throw new TypeError('A blob stream must give Uint8Array chunks');
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}
