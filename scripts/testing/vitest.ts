import { relative } from 'node:path';
import { inspect } from 'node:util';
import { startVitest } from 'vitest/node';
import type { TestCase } from 'vitest/node';

import type { Outcome } from './outcome.ts';
import { createProgressReporter } from './progress.ts';
import { slowFiles } from './test-plan.ts';
import type { TestPlan } from './test-plan.ts';

/** Runs the test files of a plan under vitest. A file that cannot be collected counts as failed. */
export async function runVitest(root: string, { filters, shard, isFast }: TestPlan): Promise<Outcome[]> {
  const vitest = await startVitest([...filters], {
    root,
    watch: false,
    run: true,
    reporters: ['default', createProgressReporter(root)],
    ...(shard === undefined ? {} : { shard: `${shard.index}/${shard.count}` }),
    ...(isFast ? { exclude: ['**/node_modules/**', '**/dist/**', ...slowFiles] } : {}),
  });
  try {
    const outcomes = vitest.state.getTestModules().flatMap((module) => {
      const file = relative(root, module.moduleId);
      const tests = [...module.children.allTests()].map((test) => outcomeOf(file, test));
      const broken =
        module.errors().length > 0 || [...module.children.allSuites()].some((suite) => suite.errors().length > 0);
      return broken ? [...tests, failed(file, 'the file could not be run')] : tests;
    });
    const unhandled = vitest.state
      .getUnhandledErrors()
      .map((error) => failed('', `unhandled error: ${messageOf(error)}`));
    return [...outcomes, ...unhandled];
  } finally {
    await vitest.close();
  }
}

function outcomeOf(file: string, test: TestCase): Outcome {
  const result = test.result();
  const base = { runner: 'vitest', file, name: test.fullName };
  if (result.state === 'passed') return { ...base, status: 'passed' };
  if (result.state !== 'skipped') {
    const error = result.errors?.map(({ message }) => message).join('\n');
    return { ...base, status: 'failed', ...(error ? { error } : {}) };
  }
  return { ...base, status: 'skipped', ...(result.note ? { reason: result.note } : {}) };
}

/** Returns the message of a thrown value; vitest hands over objects without a prototype too. */
function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return typeof message === 'string' ? message : inspect(message);
}

function failed(file: string, name: string): Outcome {
  return { runner: 'vitest', file, name, status: 'failed' };
}
