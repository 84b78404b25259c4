import { createHash } from 'node:crypto';
import type { PartMemory } from './part-memory.ts';

/** Part of a content. */
export interface ContentPart {
  readonly content: Uint8Array;
  /** Lower-case hexadecimal SHA-256. */
  readonly sha256: string;
  /** Gives the memory of the content back, which another part then overwrites. Call it once nothing reads the content any more. */
  release(): void;
}

/** Options of {@link partsOf}. */
export interface PartsOptions {
  readonly partBytes: number;
  /** Memory of whole parts. */
  readonly memory: PartMemory;
  /** Called with each piece of the content in order. */
  onPiece?(piece: Uint8Array): void;
}

const firstBytes = 65_536;

/**
 * Splits `chunks` into parts of exactly `partBytes`. The last part is shorter and may be empty, so another part follows each full one.
 * Parts are copies in memory that is used again. Chunks are hashed as they
 * arrive: hashing a whole part would block this thread.
 */
export async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  { partBytes, memory: whole, onPiece }: PartsOptions,
): AsyncGenerator<ContentPart> {
  let hash = createHash('sha256');
  // A small content does not take the memory of a whole part.
  let memory: Uint8Array = partBytes > firstBytes ? Buffer.allocUnsafeSlow(firstBytes) : whole.take();
  let bytes = 0;

  function finish(): ContentPart {
    const own = memory;
    const part = {
      content: own.subarray(0, bytes),
      sha256: hash.digest('hex'),
      release() {
        if (own.byteLength === partBytes) whole.give(own);
      },
    };
    hash = createHash('sha256');
    bytes = 0;
    return part;
  }

  for await (const chunk of chunks) {
    for (let rest = chunk; rest.byteLength > 0;) {
      const piece = rest.subarray(0, partBytes - bytes);
      memory = withRoom(memory, bytes, piece.byteLength);
      memory.set(piece, bytes);
      hash.update(piece);
      onPiece?.(piece);
      bytes += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (bytes < partBytes) continue;
      yield finish();
      memory = whole.take();
    }
  }
  yield finish();

  /** Returns memory with room for more bytes, which keeps the first `used` ones. */
  function withRoom(current: Uint8Array, used: number, more: number): Uint8Array {
    if (used + more <= current.byteLength) return current;
    const size = Math.max(used + more, 4 * current.byteLength);
    const larger = size < partBytes ? Buffer.allocUnsafeSlow(size) : whole.take();
    larger.set(current.subarray(0, used));
    return larger;
  }
}
