/** A stream whose unread bytes count against a {@link SendBudget}. */
export interface BudgetedStream {
  /** Bytes that were sent and that the other side has not read. */
  readonly bufferedBytes: number;
  /** Ends the stream, because it holds the most bytes when there are too many. */
  overflow(reason: string): void;
}

/** Limit of the bytes that wait in all streams of a process until the other side reads them. */
export interface SendBudget {
  /** Bytes that wait now. */
  readonly bytes: number;
  join(stream: BudgetedStream): void;
  leave(stream: BudgetedStream): void;
  /** Counts bytes that begin to wait (positive) or that were read (negative); ends streams if there are too many. */
  count(bytes: number): void;
}

/**
 * Creates a budget. A guest cannot be made to wait before it calls, so a stream that is not read grows until its run may make no
 * more calls. When all streams together hold more than `maxBytes`, the one with the most bytes is ended: the flood ends itself,
 * and runs that are read continue.
 */
export function createSendBudget(maxBytes: number): SendBudget {
  const streams = new Set<BudgetedStream>();
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    join: (stream) => void streams.add(stream),
    leave: (stream) => void streams.delete(stream),
    count(change) {
      bytes += change;
      while (bytes > maxBytes && streams.size > 0) {
        const largest = Array.from(streams).reduce((one, other) =>
          other.bufferedBytes > one.bufferedBytes ? other : one,
        );
        streams.delete(largest);
        largest.overflow(
          `${largest.bufferedBytes} bytes of the run wait to be read, and ${bytes} of all runs; the limit is ${maxBytes} (maxBufferedBytes)`,
        );
      }
    },
  };
}
