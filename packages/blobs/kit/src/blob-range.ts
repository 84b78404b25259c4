import type { BlobRange } from '@ravi/kernel';

/** Range inside a blob: `start` inclusive, `end` exclusive, in bytes. */
export interface ClippedRange {
  readonly start: number;
  readonly end: number;
  /** True if the range is the whole blob, so that its checksum can be verified. */
  readonly isWhole: boolean;
}

/**
 * Clips a range to a blob of `totalBytes`; a range that begins past the end is empty.
 * @throws TypeError if the offset or the length is negative or not an integer
 */
export function clipRange({ offset = 0, length }: BlobRange, totalBytes: number): ClippedRange {
  requireByteCount('offset', offset);
  if (length !== undefined) requireByteCount('length', length);
  const start = Math.min(offset, totalBytes);
  const end = Math.min(start + (length ?? totalBytes), totalBytes);
  return { start, end, isWhole: start === 0 && end === totalBytes };
}

function requireByteCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new TypeError(`The ${name} of a blob range must be a whole number of bytes, not ${value}`);
}
