import { linesOf } from './line-index.ts';
import type { Position } from './line-index.ts';

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
