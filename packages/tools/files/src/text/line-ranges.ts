const newline = 0x0a;

/** Lines of a text, found without decoding it. */
export interface LineRange {
  /** Offsets of the first byte, and after the last one. */
  readonly start: number;
  readonly end: number;
  /** Lines of the whole text. A newline at its end begins no further line. */
  readonly totalLines: number;
}

/** Finds the lines from `first` to `last`, counted from 1. A range after the last line is empty. */
export function findLines(bytes: Buffer, first: number, last: number): LineRange {
  let lines = 0;
  let start = bytes.length;
  let end = bytes.length;
  for (let offset = 0; offset < bytes.length;) {
    lines += 1;
    if (lines === first) start = offset;
    const next = bytes.indexOf(newline, offset);
    offset = next === -1 ? bytes.length : next + 1;
    if (lines === last) end = offset;
  }
  return { start, end: Math.max(start, end), totalLines: lines };
}

/** Returns the number of the line at an offset, counted from 1. */
export function lineAt(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(newline); at !== -1 && at < offset; at = bytes.indexOf(newline, at + 1)) line += 1;
  return line;
}

/** Lines that a model reads at once; a script gets all. */
const maxLines = 2_000;
const maxLineCharacters = 2_000;

/**
 * Returns text with the number of each line, a tab, and the line. The parts that are left out of a long text are named.
 * @param first number of the first line
 */
export function numberLines(text: string, first: number): string {
  if (text === '') return '';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n', maxLines + 1);
  const shown = lines.slice(0, maxLines).map((line, index) => `${first + index}\t${shorten(line)}`);
  if (lines.length > maxLines) shown.push(`[more lines: read on with "startLine": ${first + maxLines}]`);
  return shown.join('\n');
}

function shorten(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= maxLineCharacters) return text;
  return `${text.slice(0, maxLineCharacters)} [${text.length - maxLineCharacters} more characters]`;
}
