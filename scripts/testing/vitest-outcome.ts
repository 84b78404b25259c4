import { relative } from 'node:path';
import { inspect } from 'node:util';
import type { TestCase, TestModule } from 'vitest/node';

import type { Outcome } from './outcome.ts';

/** Returns the outcomes of the tests of a file. A file that cannot be collected counts as failed. */
export function outcomesOf(root: string, module: TestModule): Outcome[] {
  const file = relative(root, module.moduleId);
  const tests = [...module.children.allTests()].map((test) => outcomeOf(root, test));
  const isBroken =
    module.errors().length > 0 || [...module.children.allSuites()].some((suite) => suite.errors().length > 0);
  return isBroken ? [...tests, failed(file, 'the file could not be run')] : tests;
}

/**
 * Returns the outcome of a test that vitest ran. A failed test has the messages of its errors, a skipped one the reason if the
 * test named one.
 */
export function outcomeOf(root: string, test: TestCase): Outcome {
  const result = test.result();
  const base = { runner: 'vitest', file: relative(root, test.module.moduleId), name: test.fullName };
  if (result.state === 'passed') return { ...base, status: 'passed' };
  if (result.state !== 'skipped') {
    const error = result.errors?.map(({ message }) => message).join('\n');
    return { ...base, status: 'failed', ...(error ? { error } : {}) };
  }
  return { ...base, status: 'skipped', ...(result.note ? { reason: result.note } : {}) };
}

/** Returns the outcome of an error that no test caught. */
export function unhandledOutcome(error: unknown): Outcome {
  return failed('', `unhandled error: ${messageOf(error)}`);
}

/** Returns the message of a thrown value; vitest hands over objects without a prototype too. */
function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return typeof message === 'string' ? message : inspect(message);
}

function failed(file: string, name: string): Outcome {
  return { runner: 'vitest', file, name, status: 'failed' };
}
