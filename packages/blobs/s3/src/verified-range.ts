import { createHash } from 'node:crypto';
import { blobCorrupt } from '@ravi/blob-kit';
import type { BlobMetadata, ClippedRange } from '@ravi/blob-kit';

/** Checksums of the consecutive parts of a content, so that a range of it can be verified without the rest. */
export interface PartDigests {
  /** Size of each part in bytes, except of the last one, which is shorter. */
  readonly bytes: number;
  /** Lower-case hexadecimal SHA-256 of each part, in order. */
  readonly sha256: readonly string[];
}

/** Range of a content, widened to the parts that it touches. */
export interface PartRange {
  readonly parts: PartDigests;
  /** First part. */
  readonly first: number;
  /** First byte of the first part. */
  readonly start: number;
  /** End of the last part, exclusive. */
  readonly end: number;
}

/** Returns the parts that a range touches. A content whose parts have no checksums is one part. */
export function partsAround(
  { start, end }: Pick<ClippedRange, 'start' | 'end'>,
  { bytes, sha256 }: Pick<BlobMetadata, 'bytes' | 'sha256'>,
  known: PartDigests | undefined,
): PartRange {
  const parts = known ?? { bytes: Math.max(1, bytes), sha256: [sha256] };
  const first = Math.floor(start / parts.bytes);
  return {
    parts,
    first,
    start: first * parts.bytes,
    end: Math.min(bytes, Math.ceil(end / parts.bytes) * parts.bytes),
  };
}

/**
 * Yields the bytes of `range` from `chunks`, which are those of the parts around it. The last chunk follows only if the checksum
 * of every part matches.
 * @throws KernelError `E_BLOB_CORRUPT` instead of the last chunk if one does not match
 */
export async function* verifiedRange(
  chunks: AsyncIterable<Uint8Array>,
  range: Pick<ClippedRange, 'start' | 'end'>,
  { ref, parts, first, start, end }: PartRange & Pick<BlobMetadata, 'ref'>,
): AsyncGenerator<Uint8Array> {
  let position = start;
  let part = first;
  let hash = createHash('sha256');
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.byteLength > 0;) {
      const endOfPart = Math.min(end, (part + 1) * parts.bytes);
      const piece = rest.subarray(0, endOfPart - position);
      if (piece.byteLength === 0) throw blobCorrupt(ref, 'it is longer than its parts');
      rest = rest.subarray(piece.byteLength);
      hash.update(piece);
      const wanted = piece.subarray(Math.max(0, range.start - position), Math.max(0, range.end - position));
      position += piece.byteLength;
      if (position === endOfPart) {
        requireDigest(hash.digest('hex'), parts.sha256[part], { ref, part });
        hash = createHash('sha256');
        part += 1;
      }
      if (wanted.byteLength === 0) continue;
      if (last !== undefined) yield last;
      last = wanted;
    }
  }
  if (position !== end) throw blobCorrupt(ref, `its content ends at byte ${position}`);
  if (last !== undefined) yield last;
}

function requireDigest(
  found: string,
  expected: string | undefined,
  { ref, part }: { readonly ref: string; readonly part: number },
): void {
  if (found !== expected) throw blobCorrupt(ref, `part ${part + 1} of its content does not match its checksum`);
}
