import assert from 'node:assert/strict';
import { test } from 'vitest';
import { claimProblems } from '../src/claims.ts';

test('every claim is on its page, and its test or command exists', () => {
  assert.deepEqual(claimProblems(), []);
});

test('a claim without its words, its test or its command is reported', () => {
  const text = [
    '## [README](../README.md)',
    '| claim | shown by |',
    '| --- | --- |',
    '| every call passes one inspector | `npm run compare` |',
    '| never fails | `npm run compare` |',
    '| every call passes one inspector | trust |',
    '| every call passes one inspector | [no such test](../apps/docs/test/pages.test.ts) |',
    '| every call passes one inspector | [a test](../apps/docs/test/nowhere.test.ts) |',
    '| every call passes one inspector | `npm run nothing`, `npm run bench -- --group nothing` |',
  ].join('\n');
  const inspector = 'docs/claims.md: “every call passes one inspector”';
  assert.deepEqual(claimProblems(text), [
    'docs/claims.md: “never fails” is not on its page',
    `${inspector} names no test and no command`,
    `${inspector} names “no such test”, which apps/docs/test/pages.test.ts does not contain`,
    `${inspector} names apps/docs/test/nowhere.test.ts, which does not exist`,
    `${inspector} names \`npm run nothing\`, which does not exist`,
    `${inspector} names the benchmark nothing, which does not exist`,
  ]);
});
