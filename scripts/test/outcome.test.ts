import assert from 'node:assert/strict';

import { test } from 'vitest';

import { closingLine, failureLines, skipLines } from '../testing/outcome.ts';
import type { Outcome } from '../testing/outcome.ts';
import { missingParts } from '../testing/required.ts';

const outcome = (fields: Partial<Outcome>): Outcome => ({
  runner: 'vitest',
  file: 'a.test.ts',
  name: 'works',
  status: 'passed',
  ...fields,
});

test('the closing line counts every outcome and speaks of skipped tests only when there are some', () => {
  const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((status) => outcome({ status }));
  assert.ok(passed && failed && skipped);
  assert.equal(closingLine([passed, passed, failed]), '2 passed, 1 failed');
  assert.equal(closingLine([passed, skipped]), '1 passed, 0 failed, 1 skipped');
});

test('skipped tests are listed by file and reason, a single one by its name', () => {
  const noTerminal = outcome({ status: 'skipped', reason: 'no terminal' });
  const declared = outcome({ status: 'skipped', name: 'resumes (skipped: keeps nothing)' });
  const silent = outcome({ status: 'skipped', file: 'b.test.ts', name: 'waits' });
  assert.deepEqual(skipLines([noTerminal, noTerminal, declared, silent, outcome({})]), [
    'skipped 2 tests of vitest a.test.ts: no terminal',
    'skipped "resumes (skipped: keeps nothing)" of vitest a.test.ts: skipped: keeps nothing',
    'skipped "waits" of vitest b.test.ts: no reason given',
  ]);
});

test('failed tests are listed with what they threw', () => {
  const loud = outcome({ status: 'failed', error: 'no kill fell into a write\n  expected: 1' });
  assert.deepEqual(failureLines([outcome({}), loud, outcome({ status: 'failed', name: 'waits' })]), [
    'FAILED (vitest) a.test.ts: works',
    '    no kill fell into a write',
    '      expected: 1',
    'FAILED (vitest) a.test.ts: waits',
  ]);
});

test('a required part that was only skipped is a failure, one that passed is not', () => {
  const prompt = { file: 'packages/approvals/cli/test/a.test.ts', name: 'asks on a pty' };
  const leftovers = { file: 'packages/sandboxes/docker/test/containers.test.ts', name: 'after 200 killed runs: none' };
  const missing = (...outcomes: Outcome[]): string[] =>
    missingParts(outcomes).map(({ status, name }) => `${status}: ${name}`);
  const told = [
    'failed: the approval prompt on a pseudo terminal did not run',
    'failed: the end of containers after killed runs did not run',
  ];
  const all = missing();
  assert.deepEqual(
    missing(outcome({ ...prompt, status: 'skipped' }), outcome({ ...leftovers, status: 'skipped' })),
    all,
  );
  assert.deepEqual(all.filter((name) => !missing(outcome(prompt), outcome(leftovers)).includes(name)).toSorted(), told);
});
