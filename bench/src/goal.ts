import type { BenchRow } from './row.ts';

const goalPattern = /^(?<sign>[≤≥]) ?(?<bound>[\d ]+(?:\.\d+)?)(?<of>×(?: floor| peer)?| .+)?$/u;

/**
 * Returns whether a row reached its goal; `undefined` if it has no goal or lacks the figure. `≤ 2× floor`
 * bounds the ratio to the floor, `≤ 0.5×` the ratio to the peer, `≤ 1 ms` our own figure; a bare `≤ 0.5` bounds the
 * ratio to the peer when there is one, else our figure.
 * @throws TypeError for a goal in another notation
 */
export function isReached(row: BenchRow): boolean | undefined {
  if (row.goal === undefined) return undefined;
  const found = goalPattern.exec(row.goal)?.groups;
  if (found === undefined) throw new TypeError(`${row.group}: ${row.name}: the goal "${row.goal}" cannot be read`);
  const figure = figureOf(row, found['of']?.trim());
  if (figure === undefined) return undefined;
  const bound = Number(found['bound']?.replaceAll(' ', ''));
  return found['sign'] === '≤' ? figure <= bound : figure >= bound;
}

function figureOf(row: BenchRow, of: string | undefined): number | undefined {
  if (of === undefined) return row.ratio ?? row.ours;
  if (of === '×' || of === '× peer') return row.ratio;
  if (of === '× floor') return row.floor === undefined ? undefined : row.ours / row.floor;
  if (of === row.unit) return row.ours;
  throw new TypeError(`${row.group}: ${row.name}: the goal "${row.goal}" is in another unit than ${row.unit}`);
}
