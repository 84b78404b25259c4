import { startVitest } from 'vitest/node';

import type { Outcome } from './outcome.ts';
import { createProgressReporter } from './progress.ts';
import type { TestPlan } from './test-plan.ts';
import { outcomesOf, unhandledOutcome } from './vitest-outcome.ts';

/** Runs the test files of a plan under vitest. A file that cannot be collected counts as failed. */
export async function runVitest(root: string, { filters, shard, isFast }: TestPlan): Promise<Outcome[]> {
  // Read by vitest.config.ts.
  if (isFast) process.env['RAVI_TEST_FILES'] = 'fast';
  const vitest = await startVitest([...filters], {
    root,
    watch: false,
    run: true,
    reporters: ['default', createProgressReporter(root)],
    ...(shard === undefined ? {} : { shard: `${shard.index}/${shard.count}` }),
  });
  try {
    const outcomes = vitest.state.getTestModules().flatMap((module) => outcomesOf(root, module));
    const unhandled = vitest.state.getUnhandledErrors().map(unhandledOutcome);
    return [...outcomes, ...unhandled];
  } finally {
    await vitest.close();
  }
}
