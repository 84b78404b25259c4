/**
 * Map from offsets of a changed text to offsets of the original: segments in ascending order of `at`, each reaching to
 * the next. Plain data, so that it can be sent to another process.
 */
export type OffsetMap = readonly OffsetSegment[];

/** Text that starts at `at` in the changed text and at `from` in the original. */
export interface OffsetSegment {
  readonly at: number;
  readonly from: number;
}

/** Returns the map of a text that is the original from `from` on. */
export function shiftedMap(from: number): OffsetMap {
  return [{ at: 0, from }];
}

/** Returns the original offset of the character at `offset` of the changed text; inserted text maps to the place of its insertion. */
export function originalOffset(map: OffsetMap, offset: number): number {
  const index = segmentAt(map, offset);
  const segment = map[index];
  if (segment === undefined) return offset;
  const next = map[index + 1];
  const original = segment.from + Math.max(0, offset - segment.at);
  return next !== undefined && next.from >= segment.from ? Math.min(original, next.from) : original;
}

/** Composes the maps of two steps: `outer` maps the last text to the text that `inner` maps to the first. */
export function composeMaps(outer: OffsetMap, inner: OffsetMap): OffsetMap {
  const composed: OffsetSegment[] = [];
  for (const [index, segment] of outer.entries()) {
    const length = (outer[index + 1]?.at ?? Infinity) - segment.at;
    composed.push({ at: segment.at, from: originalOffset(inner, segment.from) });
    for (let next = segmentAt(inner, segment.from) + 1; next < inner.length; next++) {
      const step = inner[next];
      if (step === undefined || step.at >= segment.from + length) break;
      if (step.at > segment.from) composed.push({ at: segment.at + step.at - segment.from, from: step.from });
    }
  }
  return composed;
}

function segmentAt(map: OffsetMap, offset: number): number {
  let low = 0;
  let high = map.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((map[middle]?.at ?? Infinity) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** Replacement of the characters from `start` to before `end`; equal offsets insert. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that are in ascending order and do not overlap; all other text stays the same. */
export function applyEdits(
  text: string,
  edits: readonly TextEdit[],
): { readonly text: string; readonly map: OffsetMap } {
  const map: OffsetSegment[] = [{ at: 0, from: 0 }];
  let changed = '';
  let done = 0;
  for (const edit of edits) {
    changed += text.slice(done, edit.start);
    map.push({ at: changed.length, from: edit.start });
    changed += edit.text;
    map.push({ at: changed.length, from: edit.end });
    done = edit.end;
  }
  return { text: changed + text.slice(done), map };
}
