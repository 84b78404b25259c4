import { fileURLToPath } from 'node:url';
import type { BenchGroup, BenchRow } from '../row.ts';
import type { Contender } from '../interleave.ts';
import { processFigure } from '../child-answers.ts';
import { rowsOf } from '../rows-of.ts';
import { peerNames } from '../sandboxes/runners.ts';
import type { RunnerName } from '../sandboxes/runners.ts';

/** Each figure takes its own host process, and the figures differ little. */
const mostRounds = 3;

/** Measures the memory of a host and its guests while scripts wait for their tools: one, ten and a hundred at once. */
export const benchMemory: BenchGroup = async ({ rounds }) => {
  const rows: BenchRow[] = [];
  for (const live of [1, 10, 100]) {
    const name = `host and ${live} live ${live === 1 ? 'script' : 'scripts'}`;
    const [ours, ...peers] = (['Ravi', ...peerNames] as const).map((runner) => hostWith(runner, live));
    if (ours === undefined) continue;
    const measurement = { group: 'memory', name, unit: 'MB', ours, peers };
    rows.push(...(await rowsOf(measurement, Math.min(rounds, mostRounds))));
  }
  return rows;
};

function hostWith(name: RunnerName, live: number): Contender {
  const file = fileURLToPath(new URL('./memory-child.ts', import.meta.url));
  return { name, measure: () => processFigure(file, [name, String(live)]) };
}
