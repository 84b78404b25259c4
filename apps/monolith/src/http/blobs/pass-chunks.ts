/** Observers of {@link passChunks}. */
export interface ChunkObservers {
  /** Called with each chunk before it is passed on. What it throws ends the stream. */
  onChunk?(chunk: Uint8Array): void;
  /** Called when the content cannot be read to its end. */
  onError?(error: unknown): void;
}

/** Returns a content that is read one chunk at a time, as its reader asks for them. */
export function passChunks(
  content: ReadableStream<Uint8Array>,
  { onChunk, onError }: ChunkObservers,
): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          onChunk?.(value);
          controller.enqueue(value);
        } catch (error) {
          onError?.(error);
          // Lets the source stop if the content itself has not failed.
          reader.cancel(error).catch(() => {});
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead, so that chunks do not pile up in several wrappers of one content.
    { highWaterMark: 0 },
  );
}
