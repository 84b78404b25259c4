import { relative } from 'node:path';
import { startVitest } from 'vitest/node';
import type { TestCase } from 'vitest/node';

import type { Outcome } from './outcome.ts';

/** Runs every test file (or those that match a filter) under vitest. A file that cannot be collected counts as failed. */
export async function runVitest(root: string, filters: readonly string[]): Promise<Outcome[]> {
  const vitest = await startVitest([...filters], { root, watch: false, run: true, reporters: ['default'] });
  try {
    const outcomes = vitest.state.getTestModules().flatMap((module) => {
      const file = relative(root, module.moduleId);
      const tests = [...module.children.allTests()].map((test) => outcomeOf(file, test));
      const broken =
        module.errors().length > 0 || [...module.children.allSuites()].some((suite) => suite.errors().length > 0);
      return broken ? [...tests, failed(file, 'the file could not be run')] : tests;
    });
    const unhandled = vitest.state.getUnhandledErrors().map((error) => failed('', `unhandled error: ${String(error)}`));
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

function failed(file: string, name: string): Outcome {
  return { runner: 'vitest', file, name, status: 'failed' };
}
