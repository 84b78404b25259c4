import { isReached } from './goal.ts';
import type { BenchRow } from './row.ts';

const headings = ['', 'ours', 'peer', 'ours/peer', 'floor', 'ours/floor', 'goal', 'reached', 'peer is'] as const;
const leftAligned: ReadonlySet<number> = new Set([0, 6, 8]);

/** Builds an aligned table for the terminal; a measurement with several peers is named once. */
export function formatTable(rows: readonly BenchRow[]): string {
  const lines = [headings as readonly string[], ...rows.map((row, index) => cellsOf(row, rows[index - 1]))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return leftAligned.has(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(row: BenchRow, above: BenchRow | undefined): readonly string[] {
  const repeats = above !== undefined && above.group === row.group && above.name === row.name;
  const reached = isReached(row);
  return [
    repeats ? '' : `${row.group}: ${row.name}`,
    repeats ? '' : `${formatFigure(row.ours)} ${row.unit}`,
    row.peer === undefined ? '' : `${formatFigure(row.peer)} ${row.unit}`,
    row.ratio === undefined ? '' : `${formatFigure(row.ratio)}×`,
    row.floor === undefined ? '' : `${formatFigure(row.floor)} ${row.unit}`,
    row.floor === undefined ? '' : `${formatFigure(row.ours / row.floor)}×`,
    row.goal ?? '',
    reached === undefined ? '' : reached ? 'yes' : 'NO',
    [row.peerName, row.note].filter((text) => text !== undefined).join(': '),
  ];
}

/** Formats a figure with three significant digits; `-` if it is missing. */
export function formatFigure(value: number): string {
  if (Number.isNaN(value)) return '-';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
