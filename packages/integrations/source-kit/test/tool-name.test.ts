import assert from 'node:assert/strict';
import { toolNamePattern } from '@ravi/kernel';
import { nameTools, toolNameOf } from '@ravi/source-kit';
import { test } from 'vitest';

test('a short pair is its own name', () => {
  assert.equal(toolNameOf('github', 'create_issue'), 'github__create_issue');
  assert.equal(toolNameOf('my-files', 'read.text-file'), 'my-files__read.text-file');
});

test('pairs that would read the same have different names', () => {
  const pairs = [
    ['a', 'b__c'],
    ['a__b', 'c'],
    ['a', '_b'],
    ['a_', 'b'],
    ['a', '__b'],
    ['a__', 'b'],
    ['a b', 'c'],
    ['a?b', 'c'],
    ['a', 'b c'],
    ['a', 'b\u0000c'],
    ['a', ''],
    ['a', 'ä'],
    ['a', 'ö'],
    ['3d', 'c'],
    ['_3d', 'c'],
  ] as const;
  const names = pairs.map(([source, tool]) => toolNameOf(source, tool));
  assert.equal(new Set(names).size, pairs.length, names.join(' '));
  for (const name of names) assert.match(name, toolNamePattern);
});

test('a tool cannot take the hashed name of another one', () => {
  const hashed = toolNameOf('notes', 'delete all');
  assert.match(hashed, /^notes__delete_all_[0-9a-v]{10}$/);
  assert.notEqual(toolNameOf('notes', hashed.slice('notes__'.length)), hashed);
});

test('long names are cut to 64 characters and stay apart', () => {
  const source = 's'.repeat(100);
  const tools = Array.from({ length: 200 }, (_, index) => `${'t'.repeat(300)}${index}`);
  const { names, failures } = nameTools(source, tools);
  assert.deepEqual(failures, []);
  assert.equal(new Set(names.values()).size, 200);
  for (const name of names.values()) {
    assert.match(name, toolNamePattern);
    assert.ok(name.startsWith('ssss') && name.includes('__tttt'), name);
  }
});

test('a name does not depend on the other tools', () => {
  const tools = ['list files', 'list-files', 'list_files', 'list.files'];
  const forward = nameTools('disk', tools).names;
  const backward = nameTools('disk', tools.toReversed()).names;
  for (const tool of tools) assert.equal(forward.get(tool), backward.get(tool));
  assert.equal(forward.get('list files'), nameTools('disk', ['list files']).names.get('list files'));
});

test('a tool that is listed twice is named once and reported', () => {
  const { names, failures } = nameTools('disk', ['read', 'write', 'read']);
  assert.deepEqual(
    [...names],
    [
      ['read', 'disk__read'],
      ['write', 'disk__write'],
    ],
  );
  assert.deepEqual(failures, [{ from: 'read', message: 'is listed twice; the first one counts' }]);
});
