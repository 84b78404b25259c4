/**
 * Cuts `chunks` into parts of exactly `partBytes`. The last one is shorter and may be empty, so a part that is full
 * says that another follows. Parts are copies.
 */
export async function* partsOf(chunks: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (bytes + rest.byteLength >= partBytes) {
      const missing = partBytes - bytes;
      yield Buffer.concat([...pieces, rest.subarray(0, missing)], partBytes);
      rest = rest.subarray(missing);
      pieces = [];
      bytes = 0;
    }
    if (rest.byteLength > 0) pieces.push(rest);
    bytes += rest.byteLength;
  }
  yield Buffer.concat(pieces, bytes);
}
