import { isReached } from './goal.ts';
import type { BenchRow } from './row.ts';
import { formatFigure } from './table.ts';

/** The rows as a Markdown table, ratios first: they carry over to other machines, absolute figures do not. */
export function formatMarkdown(rows: readonly BenchRow[]): string {
  const head = ['| | ours / peer | ours / floor | ours | peer | goal | reached |', '|---|---|---|---|---|---|---|'];
  return [...head, ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`)].join('\n');
}

function cellsOf(row: BenchRow): readonly string[] {
  const reached = isReached(row);
  return [
    `${row.group}: ${row.name}`,
    row.ratio === undefined ? '' : `${formatFigure(row.ratio)}×`,
    row.floor === undefined ? '' : `${formatFigure(row.ours / row.floor)}×`,
    `${formatFigure(row.ours)} ${row.unit}`,
    peerOf(row),
    row.goal ?? '',
    reached === undefined ? '' : reached ? 'yes' : 'no',
  ];
}

function peerOf({ peer, peerName, unit, note }: BenchRow): string {
  const figure = peer === undefined ? undefined : `${formatFigure(peer)} ${unit}`;
  return [peerName, figure, note].filter((text) => text !== undefined).join(': ');
}
