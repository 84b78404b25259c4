/**
 * Says for each offset of a changed text where it comes from: segments in ascending order of `at`, each reaching to
 * the next. Plain data, so that it crosses processes.
 */
export type OffsetMap = readonly OffsetSegment[];

/** From `at` on, text comes from `from` on. */
export interface OffsetSegment {
  readonly at: number;
  readonly from: number;
}

/** The map of a text that is the original from `from` on. */
export function shiftedMap(from: number): OffsetMap {
  return [{ at: 0, from }];
}

/** Where the character at `offset` of the changed text comes from; inserted text counts as the place it stands at. */
export function originalOffset(map: OffsetMap, offset: number): number {
  const index = segmentAt(map, offset);
  const segment = map[index];
  if (segment === undefined) return offset;
  const next = map[index + 1];
  const original = segment.from + Math.max(0, offset - segment.at);
  return next !== undefined && next.from >= segment.from ? Math.min(original, next.from) : original;
}

/** The map from the last text of two steps to the first: `outer` leads to the text that `inner` starts from. */
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

/** Replaces the characters from `start` to before `end`; equal offsets insert. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that are in ascending order and do not overlap; everything else stays byte for byte. */
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
