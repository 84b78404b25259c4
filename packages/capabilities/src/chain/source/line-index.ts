/** A place in a text, both numbers 1-based; columns count UTF-16 units as JavaScript engines do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Converts between offsets and line:column of one text. */
export interface LineIndex {
  /** Places past the end of a line or of the text are moved to the nearest one that exists. */
  offsetOf(position: Position): number;
  positionOf(offset: number): Position;
}

// The line terminators of ECMAScript, so that line numbers agree with an engine's.
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

/** Reads the line starts of `text` once. */
export function createLineIndex(text: string): LineIndex {
  const starts = [0];
  for (const match of text.matchAll(lineEnd)) starts.push(match.index + match[0].length);
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  return {
    offsetOf({ line, column }) {
      const start = startOf(Math.max(1, line));
      return Math.min(start + Math.max(0, column - 1), startOf(Math.max(1, line) + 1), text.length);
    },
    positionOf(offset) {
      const line = lastAtOrBelow(starts, offset) + 1;
      return { line, column: offset - startOf(line) + 1 };
    },
  };
}

/** Lines of `text`, by the same terminators. */
export function linesOf(text: string): readonly string[] {
  return text.split(new RegExp(lineEnd.source));
}

function lastAtOrBelow(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? Infinity) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
