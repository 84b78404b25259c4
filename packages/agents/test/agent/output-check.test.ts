import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createOutputCheck } from '../../src/agent/output-check.ts';

const check = createOutputCheck({ schema: {} });

test('a final answer may be JSON, bare or fenced, surrounded by white space', async () => {
  for (const text of [
    '{"n":7}',
    ' \n{"n":7}\n ',
    '```json\n{"n":7}\n```',
    '```\n{"n":7}```',
    '\n```json \n\n {"n":7}\n\n```\n\n',
    '```json\r\n{"n":7}\r\n```',
  ]) {
    assert.deepEqual(await check.check(text), { value: { n: 7 } }, text);
  }
  assert.deepEqual(await check.check('"```json\\n1\\n```"'), { value: '```json\n1\n```' });
});

test('an answer that is not JSON, or has half a fence, is invalid', async () => {
  for (const text of [
    '',
    '```',
    '``````',
    '```json',
    '```7```',
    '```json\n{"n":7}',
    '```yaml\nn: 7\n```',
    'so: ```\n7\n```',
  ]) {
    assert.deepEqual(await check.check(text), { problem: 'It is not JSON.' }, text);
  }
});

test('a fence with much white space is read in linear time', async () => {
  for (const [start, end] of [
    ['```', 'x'],
    ['```json', '```x'],
    ['```\n7', 'x'],
  ] as const) {
    for (const space of ['\n', ' ', '\n ']) {
      const text = `${start}${space.repeat(400_000)}${end}`;
      assert.deepEqual(await check.check(text), { problem: 'It is not JSON.' });
    }
  }
});
