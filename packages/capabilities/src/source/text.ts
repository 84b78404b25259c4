/** A position in a text. Both numbers are 1-based; columns count UTF-16 units as JavaScript engines do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Conversion between the offsets and positions of one text. */
export interface LineIndex {
  /** Returns the offset of a position; a position past the end of a line or of the text is moved to the nearest valid one. */
  offsetOf(position: Position): number;
  positionOf(offset: number): Position;
}

// The line terminators of ECMAScript, so that line numbers agree with those of an engine.
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

/** Creates the index of a text; reads its line starts once. */
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

const maxLineLength = 120;

/** Returns the line of `position` and its neighbours, numbered, the line itself marked with `>`; long lines are cut. */
export function excerptOf(source: string, position: Position): string {
  const lines = source.split(new RegExp(lineEnd.source));
  const first = Math.max(1, position.line - 1);
  const last = Math.min(lines.length, position.line + 1);
  const width = String(last).length;
  const shown: string[] = [];
  for (let line = first; line <= last; line++) {
    const marker = line === position.line ? '>' : ' ';
    const text = cut(lines[line - 1] ?? '', line === position.line ? position.column : 1);
    shown.push(`${marker} ${String(line).padStart(width)} | ${text}`.trimEnd());
  }
  return shown.join('\n');
}

function cut(line: string, column: number): string {
  if (line.length <= maxLineLength) return line;
  const start = Math.max(0, Math.min(column - 1 - maxLineLength / 2, line.length - maxLineLength));
  const end = start + maxLineLength;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

/** A part of a text and its start offset. */
export interface TextPart {
  readonly text: string;
  readonly start: number;
}

const opening = /^(?:[ \t]*\r?\n)*[ \t]*(`{3,}|~{3,})[^\n`]*(?:\n|$)/;

/**
 * Returns the script inside a Markdown fence when the text starts with one, otherwise the text without its byte order
 * mark. An unclosed fence counts too, because the output of a model may be cut off. Only the last line closes the fence,
 * so fences inside the script are kept.
 */
export function unwrapFence(source: string): TextPart {
  const start = source.startsWith('\uFEFF') ? 1 : 0;
  const text = source.slice(start);
  const match = opening.exec(text);
  if (match === null) return { text, start };
  const inside = text.slice(match[0].length);
  const trimmed = inside.trimEnd();
  const lastLine = trimmed.lastIndexOf('\n') + 1;
  const closed = trimmed.slice(lastLine).trim() === match[1];
  return { text: closed ? inside.slice(0, lastLine) : inside, start: start + match[0].length };
}
