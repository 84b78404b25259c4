import { createArgumentCheck } from '@ravi/invoker';
import { hostilePairs, maxBlockMs } from '@ravi/testkit/hostile';
import type { HostilePair } from '@ravi/testkit/hostile';
import type { BenchGroup } from './row.ts';
import { rowsOf } from './rows-of.ts';

/** Measures for how long compiling and validating each hostile pair of schema and value blocks the event loop. */
export const benchHostile: BenchGroup = async ({ rounds }) => {
  const rows = [];
  for (const pair of hostilePairs) {
    const measurement = {
      group: 'hostile',
      name: pair.name,
      unit: 'ms',
      goal: `≤ ${maxBlockMs} ms`,
      ours: { name: 'invoker', measure: async () => blockMs(pair) },
    };
    rows.push(...(await rowsOf(measurement, rounds)));
  }
  return rows;
};

function blockMs({ create }: HostilePair): number {
  const { schema, value } = create();
  const check = createArgumentCheck();
  const start = performance.now();
  try {
    check(schema, value);
  } catch {
    // A refusal is a result, too.
  }
  return performance.now() - start;
}
