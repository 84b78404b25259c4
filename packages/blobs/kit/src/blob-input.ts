import { KernelError } from '@ravi/kernel';

/** Size of the chunks in which blobs are read and written, in bytes. */
export const chunkBytes: number = 1024 * 1024;

/** Content that `BlobStore.store` accepts. */
export type BlobInput = Uint8Array | string | ReadableStream<Uint8Array>;

/**
 * Returns the bytes of `data` in order, in chunks of at most {@link chunkBytes} or as the stream yields them. Data of
 * up to one chunk is copied at the call and larger data chunk by chunk, so a yielded chunk never changes; chunks of a
 * stream are passed through as they are. Leaving the loop early cancels the stream.
 * @throws KernelError `E_CANCELLED` if `signal` is aborted, even while the stream is silent
 */
export function readChunks(data: BlobInput, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  if (typeof data === 'string') return slices(new TextEncoder().encode(data), signal);
  if (!(data instanceof Uint8Array)) return streamed(data, signal);
  return data.byteLength > chunkBytes ? copies(data, signal) : slices(copyOf(data), signal);
}

/** Cancels an input stream that was never read, so that its source stops. */
export function abandonInput(data: BlobInput, reason: unknown): void {
  if (typeof data === 'string' || data instanceof Uint8Array || data.locked) return;
  data.cancel(reason).catch(() => {});
}

/** Returns a copy of `bytes` with its own buffer. `Buffer.slice` would return a view. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** Throws if `signal` is aborted. @throws KernelError `E_CANCELLED` */
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
  // Cancelling ends a pending read at once; an error of the source no longer matters.
  const cancel = (): void => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    throwIfCancelled(signal);
    for (;;) {
      const { done, value } = await reader.read();
      throwIfCancelled(signal);
      if (done) return;
      if (!(value instanceof Uint8Array)) throw new TypeError('A blob stream must yield Uint8Array chunks');
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
}
