const newLine = 0x0a;
const firstBytes = 65_536;

/** Splits chunks into lines. The bytes of a line are valid until the next one is read. */
export type LineReader = (chunk: Uint8Array) => Iterable<Uint8Array | 'too large'>;

/**
 * Creates a reader of lines. A line of more than `maxBytes` is reported once, and its rest is skipped without being kept. Empty lines are left
 * out. However small the chunks are, a line takes at most twice its size.
 */
export function createLineReader(maxBytes: number): LineReader {
  let buffer = Buffer.allocUnsafe(firstBytes);
  let bytes = 0;
  let isSkipping = false;

  function keep(part: Uint8Array): void {
    if (bytes + part.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, bytes + part.length));
      buffer.copy(larger, 0, 0, bytes);
      buffer = larger;
    }
    buffer.set(part, bytes);
    bytes += part.length;
  }

  function reset(): void {
    bytes = 0;
    if (buffer.length > firstBytes) buffer = Buffer.allocUnsafe(firstBytes);
  }

  return function* read(chunk) {
    for (let start = 0; ;) {
      const end = chunk.indexOf(newLine, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end);
      if (!isSkipping && bytes + part.length > maxBytes) {
        isSkipping = true;
        reset();
        yield 'too large';
      }
      if (!isSkipping) keep(part);
      if (end === -1) return;
      if (!isSkipping && bytes > 0) yield buffer.subarray(0, bytes);
      reset();
      isSkipping = false;
      start = end + 1;
    }
  };
}
