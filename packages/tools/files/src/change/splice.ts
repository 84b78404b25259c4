/** The one place in which two contents differ: `removed` at `start` of the first became `inserted` bytes in the second. */
export interface Splice {
  readonly start: number;
  readonly removed: Uint8Array;
  readonly inserted: number;
}

const chunk = 65_536;

/** Returns the smallest splice between two contents. `removed` shares memory with `before`. */
export function spliceBetween(before: Uint8Array, after: Uint8Array): Splice {
  const most = Math.min(before.length, after.length);
  const start = commonLength(
    most,
    (from, to) => Buffer.compare(before.subarray(from, to), after.subarray(from, to)) === 0,
  );
  const end = commonLength(most - start, (from, to) => {
    const left = before.subarray(before.length - to, before.length - from);
    return Buffer.compare(left, after.subarray(after.length - to, after.length - from)) === 0;
  });
  return { start, removed: before.subarray(start, before.length - end), inserted: after.length - end - start };
}

// Returns the largest `length` up to `most` for which all parts of [0, length) are equal: chunk by chunk, then by halves.
function commonLength(most: number, isEqual: (from: number, to: number) => boolean): number {
  let length = 0;
  while (length < most && isEqual(length, Math.min(length + chunk, most))) length = Math.min(length + chunk, most);
  let step = Math.min(chunk, most - length);
  while (step > 0) {
    const to = length + step;
    if (to <= most && isEqual(length, to)) length = to;
    else if (step === 1) break;
    step = Math.max(1, step >> 1);
    if (length === most) break;
  }
  return length;
}

/** Returns the content before a splice, given the one after it. */
export function revertSplice(after: Uint8Array, { start, removed, inserted }: Splice): Buffer {
  return Buffer.concat([after.subarray(0, start), removed, after.subarray(start + inserted)]);
}
