const slash = 0x2f;

/** Compares paths by their parts, so that the files of a folder are together: a slash comes before every other character. */
export function comparePaths(left: string, right: string): number {
  return comparePart(left, 0, left.length, right);
}

// Compares the path between `start` and `end` of a text without taking it out, which would take most of the time for many paths.
function comparePart(text: string, start: number, end: number, right: string): number {
  const length = Math.min(end - start, right.length);
  for (let at = 0; at < length; at += 1) {
    const one = text.charCodeAt(start + at);
    const other = right.charCodeAt(at);
    if (one === other) continue;
    if (one === slash) return -1;
    return other === slash ? 1 : one - other;
  }
  return end - start - right.length;
}

/** Collects the first of many paths, in any order in which they come, without keeping or sorting all of them. */
export interface FirstPaths {
  /** Adds a path: a text, or a part of one. */
  add(text: string, start?: number, end?: number): void;
  /** Returns the first paths in their order. */
  paths(): readonly string[];
  /** Number of paths that were added. */
  readonly total: number;
}

/** Collects the first `wanted` paths. At most twice as many are kept at a time, and at least 1 000. */
export function collectFirst(wanted: number): FirstPaths {
  const most = Math.max(1_000, 2 * wanted);
  let kept: string[] = [];
  // The last path that is among the first so far, once there are enough: what comes after it is only counted.
  let last: string | undefined;
  let total = 0;
  const shrink = (): void => {
    kept = kept.toSorted(comparePaths).slice(0, wanted);
    if (kept.length === wanted) last = kept.at(-1);
  };
  return {
    add(text, start = 0, end = text.length) {
      total += 1;
      if (last !== undefined && comparePart(text, start, end, last) > 0) return;
      if (kept.push(text.slice(start, end)) > most) shrink();
    },
    paths() {
      shrink();
      return kept;
    },
    get total() {
      return total;
    },
  };
}
