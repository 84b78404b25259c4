import { fileURLToPath } from 'node:url';
import type { BenchGroup, BenchRow } from '../row.ts';
import type { Contender } from '../interleave.ts';
import { processFigure } from '../child-answers.ts';
import { rowsOf } from '../rows-of.ts';
import { loopContenders } from './contenders/contenders.ts';

/** Each figure takes its own process. */
const mostRounds = 5;

const scenes = [
  { scene: 'sequential', name: 'a step of a run of 50 with one call each', unit: 'µs', goal: '≤ 10 µs' },
  { scene: 'parallel', name: 'a call of 50 in one answer', unit: 'µs', goal: '≤ 3 µs' },
  { scene: 'heap', name: 'heap of 1 000 runs that wait for a tool', unit: 'MB', goal: '≤ 6 MB' },
] as const;

/** Measures the overhead of a loop with a model and a tool that cost nothing. */
export const benchLoop: BenchGroup = async ({ rounds }) => {
  const rows: BenchRow[] = [];
  for (const { scene, ...about } of scenes) {
    const [ours, floor, ...peers] = Object.keys(loopContenders).map((name) => contender(name, scene));
    if (ours === undefined || floor === undefined) continue;
    rows.push(...(await rowsOf({ group: 'loop', ...about, ours, floor, peers }, Math.min(rounds, mostRounds))));
  }
  return rows;
};

function contender(name: string, scene: string): Contender {
  const file = fileURLToPath(new URL('./loop-child.ts', import.meta.url));
  return { name, measure: () => processFigure(file, [name, scene]) };
}
