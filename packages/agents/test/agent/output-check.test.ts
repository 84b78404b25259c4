import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createOutputCheck } from '../../src/agent/output-check.ts';

const check = createOutputCheck({ schema: {} });

test('an answer is JSON, bare or fenced, with any space around it', async () => {
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

test('what is no JSON, or half a fence, is none', async () => {
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

test('a fence and a lot of space take no longer than reading them', async () => {
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
