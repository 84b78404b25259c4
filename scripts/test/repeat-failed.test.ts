import { expect, test } from 'vitest';
import type { Outcome } from '../testing/outcome.ts';
import { repeatFailed, unstableLines } from '../testing/repeat-failed.ts';

const outcome = (file: string, name: string, status: Outcome['status'], error?: string): Outcome => ({
  runner: 'vitest',
  file,
  name,
  status,
  ...(error === undefined ? {} : { error }),
});

const whole = [
  outcome('a.test.ts', 'slow', 'failed', 'timed out\nat line 1'),
  outcome('a.test.ts', 'broken', 'failed'),
  outcome('a.test.ts', 'sound', 'passed'),
  outcome('b.test.ts', 'other', 'passed'),
];

test('a test that passes alone is unstable, one that fails again keeps its failure', async () => {
  const { outcomes, unstable } = await repeatFailed(whole, async (files) => {
    expect(files).toEqual(['a.test.ts']);
    return [
      outcome('a.test.ts', 'slow', 'passed'),
      outcome('a.test.ts', 'broken', 'failed'),
      outcome('a.test.ts', 'sound', 'passed'),
    ];
  });
  expect(outcomes.map(({ name, status }) => [name, status])).toEqual([
    ['slow', 'passed'],
    ['broken', 'failed'],
    ['sound', 'passed'],
    ['other', 'passed'],
  ]);
  expect(unstableLines(unstable)).toEqual([
    'UNSTABLE a.test.ts: slow: failed, then passed in a run of its file alone: timed out',
  ]);
});

test('a test that passed first and fails the second time counts as failed', async () => {
  const { outcomes } = await repeatFailed(whole, async () => [
    outcome('a.test.ts', 'slow', 'passed'),
    outcome('a.test.ts', 'broken', 'passed'),
    outcome('a.test.ts', 'sound', 'failed'),
  ]);
  expect(outcomes.filter(({ status }) => status === 'failed').map(({ name }) => name)).toEqual(['sound']);
});

test('a test that does not run again keeps its failure, and so does every test of a run with a loose error', async () => {
  expect((await repeatFailed(whole, async () => [])).unstable).toEqual([]);
  const loose = await repeatFailed(whole, async () => [
    outcome('a.test.ts', 'slow', 'passed'),
    outcome('', 'unhandled error: x', 'failed'),
  ]);
  expect(loose.unstable).toEqual([]);
  expect(loose.outcomes.some(({ file }) => file === '')).toBe(true);
});

test('nothing is repeated after a run without failures, with many failed files or with an error of no file', async () => {
  const never = async (): Promise<Outcome[]> => {
    throw new Error('repeated');
  };
  const many = Array.from({ length: 9 }, (_, index) => outcome(`${index}.test.ts`, 'x', 'failed'));
  for (const run of [[outcome('a', 'x', 'passed')], many, [outcome('', 'unhandled error', 'failed')]]) {
    expect((await repeatFailed(run, never)).outcomes).toEqual(run);
  }
});
