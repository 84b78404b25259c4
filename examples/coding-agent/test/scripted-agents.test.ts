import assert from 'node:assert/strict';
import { test } from 'vitest';
import { nextOfCoder } from '../src/coder.ts';
import type { MadeCall } from '../src/conversation.ts';
import { nextOfReviewer } from '../src/reviewer.ts';

const task = 'Repair it.';
const failing = 'FAILED total of an order (test/prices.test.js:7)\n4 !== 5\n\nnode: 2 passed, 1 failed, 0 skipped';
const made = (tool: string, text: string, more: Partial<MadeCall> = {}): MadeCall => ({
  tool,
  text,
  args: {},
  isError: false,
  ...more,
});
const edited = made('edit', 'Edited "src/total.js"', { args: { path: 'src/total.js' } });

test('a change with which tests fail is taken back and not committed', () => {
  assert.deepEqual(nextOfCoder({ task, calls: [edited, made('test_runner', failing)] }), { tool: 'undo', args: {} });
  assert.match(JSON.stringify(nextOfCoder({ task, calls: [edited, made('undo', 'Undone')] })), /Nothing is committed/);
});

test('a change that the reviewer refuses, and a commit that a person denies, end the work', () => {
  const refused = made('reviewer', 'Refused: test/a.js is a test.');
  assert.match(JSON.stringify(nextOfCoder({ task, calls: [edited, refused] })), /did not commit.*is a test/);
  const denied = made('git_commit', 'denied by ada', { isError: true });
  assert.match(JSON.stringify(nextOfCoder({ task, calls: [edited, denied] })), /git_commit failed: denied by ada/);
});

test('the function of the failing test is searched for, and a file without a known mistake is left alone', () => {
  assert.deepEqual(nextOfCoder({ task, calls: [made('test_runner', failing)] }), {
    tool: 'grep',
    args: { pattern: String.raw`export function total\b` },
  });
  const read = made('read', '1\treturn price * count;', { args: { path: 'src/total.js' } });
  assert.equal(nextOfCoder({ task, calls: [read] }), 'I found no mistake in src/total.js.');
});

test('the reviewer refuses what changes a test, is large, or is not there', () => {
  const verdictOn = (patch: string): unknown => nextOfReviewer({ task, calls: [made('git_diff', patch)] });
  assert.match(JSON.stringify(verdictOn('No changes')), /^"Refused: nothing is staged/);
  assert.match(
    JSON.stringify(verdictOn('--- a/test/a.js\n+++ b/test/a.js\n-one\n+two')),
    /^"Refused: test\/a\.js is a test/,
  );
  assert.match(JSON.stringify(verdictOn(`+++ b/src/a.js\n${'+line\n'.repeat(21)}`)), /^"Refused: 21 lines/);
  assert.equal(verdictOn('--- a/src/a.js\n+++ b/src/a.js\n-one\n+two'), 'Approved: 2 lines of src/a.js, and no test.');
});
