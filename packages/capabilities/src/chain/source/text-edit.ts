import type { OffsetMap, OffsetSegment } from './offset-map.ts';

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
