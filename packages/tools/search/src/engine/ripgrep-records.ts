import { Buffer } from 'node:buffer';

/** Parts of a JSON record of ripgrep that a search reads. */
export interface RipgrepRecord {
  readonly type: 'begin' | 'match' | 'context' | 'end' | 'summary';
  readonly data: {
    readonly path?: RipgrepText | null;
    readonly lines?: RipgrepText;
    readonly line_number?: number | null;
    readonly binary_offset?: number | null;
  };
}

type RipgrepText = { readonly text: string } | { readonly bytes: string };

/** Returns a text of ripgrep, which is base64 where it is not UTF-8. */
export function textOfRipgrep(value: RipgrepText | null | undefined): string {
  if (value == null) return '';
  return 'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString('utf8');
}

/**
 * Splits a stream of bytes at `separator`, with the rest at the end. Yields the pieces that a part of the stream ends, because a turn of the
 * event loop for each would take most of the time. A piece of more than `maxBytes` is cut to its first bytes, so that no line can take more
 * memory than that.
 */
export async function* splitBytes(
  chunks: AsyncIterable<Buffer>,
  separator: number,
  maxBytes: number,
): AsyncGenerator<readonly Buffer[], void> {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    if (size < maxBytes && part.length > 0) parts.push(part.subarray(0, maxBytes - size));
    size += part.length;
  };
  for await (const chunk of chunks) {
    const pieces: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(separator); end !== -1; end = chunk.indexOf(separator, from)) {
      const piece = chunk.subarray(from, end);
      if (parts.length === 0 && piece.length <= maxBytes) pieces.push(piece);
      else {
        add(piece);
        pieces.push(Buffer.concat(parts));
        parts = [];
        size = 0;
      }
      from = end + 1;
    }
    add(chunk.subarray(from));
    if (pieces.length > 0) yield pieces;
  }
  if (size > 0) yield [Buffer.concat(parts)];
}
