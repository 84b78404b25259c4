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

const maxLineLength = 120;

/** The line of `position` with its neighbours, numbered, the line itself marked with `>`; long lines are cut. */
export function excerptOf(source: string, position: Position): string {
  const lines = linesOf(source);
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

/** A part of a text and where it starts in it. */
export interface TextPart {
  readonly text: string;
  readonly start: number;
}

const opening = /^(?:[ \t]*\r?\n)*[ \t]*(`{3,}|~{3,})[^\n`]*(?:\n|$)/;

/**
 * The script inside a Markdown fence, when the text starts with one; otherwise the text itself without a byte order
 * mark. A fence that was never closed counts as well: models are cut off. Fences inside the script stay, because only
 * the last line ends it.
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
