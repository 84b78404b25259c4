import { isReached } from './goal.ts';
import type { BenchRow } from './row.ts';
import { formatFigure } from './table.ts';

/**
 * Formats the rows as a Markdown table, one line per measurement, ratios first: they carry over to other machines,
 * absolute figures do not.
 */
export function formatMarkdown(rows: readonly BenchRow[]): string {
  const head = ['| | ours / peer | ours / floor | ours | goal | reached |', '|---|---|---|---|---|---|'];
  const measurements = Map.groupBy(rows, ({ group, name }) => `${group}: ${name}`);
  const lines = [...measurements].map(([title, lines]) => `| ${cellsOf(title, lines).join(' | ')} |`);
  return [...head, ...lines].join('\n');
}

function cellsOf(title: string, rows: readonly BenchRow[]): readonly string[] {
  const [row] = rows;
  if (row === undefined) return [title];
  const reached = isReached(row);
  return [
    title,
    rows.map(besidePeer).join('<br>'),
    row.floor === undefined ? '' : `${formatFigure(row.ours / row.floor)}×`,
    `${formatFigure(row.ours)} ${row.unit}`,
    row.goal ?? '',
    reached === undefined ? '' : reached ? 'yes' : 'no',
  ];
}

function besidePeer({ peer, peerName, ratio, unit, note }: BenchRow): string {
  const figure = peer === undefined ? undefined : `${formatFigure(peer)} ${unit}`;
  const text = [peerName, figure, note].filter((part) => part !== undefined).join(': ');
  return ratio === undefined ? text : `${formatFigure(ratio)}× ${text}`;
}
