import assert from 'node:assert/strict';
import { test } from 'vitest';
import { nearNames } from '../src/index.ts';

test('nearNames returns the names that a mistyped one most likely means, best first', () => {
  const tools = ['read_file', 'read_files', 'write_file', 'send_mail', 'list'];
  assert.deepEqual(nearNames('readFile', tools), ['read_file', 'read_files']);
  assert.deepEqual(nearNames('raed_file', tools), ['read_file', 'read_files']);
  assert.deepEqual(nearNames('LIST', tools), ['list']);
  assert.deepEqual(nearNames('mail', tools), ['send_mail']);
  assert.deepEqual(nearNames('publish', tools), []);
});

test('nearNames returns at most three names, and none for a name without letters', () => {
  assert.equal(nearNames('tool', ['tool1', 'tool2', 'tool3', 'tool4']).length, 3);
  for (const name of ['', '---', '日本']) assert.deepEqual(nearNames(name, ['a', '']), []);
});

test('nearNames cuts very long names', () => {
  const candidates = Array.from({ length: 1_000 }, (_, index) => `tool_${index}`);
  assert.deepEqual(nearNames('x'.repeat(1_000_000), candidates), []);
});
