import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createIdMap, createIdSource, createNameMap } from '../src/index.ts';

const long = (end: string): string => `mcp__server__${'x'.repeat(60)}_${end}`;

test('valid names stay, others become valid, and all are reversible', () => {
  const names = ['read', 'files.read', 'a b', 'größe', long('one'), long('two')];
  const map = createNameMap(names);
  assert.deepEqual(map.conflicts, []);
  const wireNames = names.map((name) => map.toWire(name));
  assert.equal(new Set(wireNames).size, names.length);
  assert.deepEqual(wireNames.slice(0, 4), ['read', 'files_read', 'a_b', 'gr__e']);
  for (const wireName of wireNames) assert.match(wireName, /^[a-zA-Z0-9_-]{1,64}$/u);
  assert.deepEqual(
    wireNames.map((wireName) => map.fromWire(wireName)),
    names,
  );
});

test('of two names that collide on the wire the unchanged one stays, and the other is rejected with both names', () => {
  const map = createNameMap(['files.read', 'files_read', 'files/read']);
  assert.deepEqual(map.conflicts, [
    { refused: 'files.read', kept: 'files_read', wireName: 'files_read' },
    { refused: 'files/read', kept: 'files_read', wireName: 'files_read' },
  ]);
  assert.equal(map.fromWire('files_read'), 'files_read');
});

test('a name that a model invented is returned unchanged', () => {
  assert.equal(createNameMap(['a']).fromWire('toString'), 'toString');
});

test('valid ids stay, others become valid, one to one and deterministically', () => {
  const rules = { pattern: /^[a-zA-Z0-9]{9}$/u, prefix: '', length: 9 };
  const ids = ['abcdefghi', 'tooluseAc1', 'tooluseAc2', 'functions.get:0', 'call_1', 'q'.repeat(200)];
  const map = createIdMap(rules);
  const wireIds = ids.map(map);
  assert.equal(wireIds[0], 'abcdefghi');
  assert.equal(new Set(wireIds).size, ids.length);
  for (const id of wireIds) assert.match(id, rules.pattern);
  assert.deepEqual(ids.map(map), wireIds);
  assert.deepEqual(ids.slice(0, 3).map(createIdMap(rules)), wireIds.slice(0, 3));
});

test('an id that equals an earlier hash is replaced too', () => {
  const rules = { pattern: /^[a-z0-9A-Z]{9}$/u, prefix: '', length: 9 };
  const taken = createIdMap(rules)('not fitting');
  const map = createIdMap(rules);
  assert.equal(map('not fitting'), taken);
  assert.notEqual(map(taken), taken);
});

test('missing, empty, repeated and null ids become ids that the conversation does not have', () => {
  const next = createIdSource(['get:0', 'call-2']);
  const ids = [next('get:0'), next(''), next('null'), next(undefined), next('fine'), next('fine')];
  assert.equal(ids[4], 'fine');
  assert.equal(new Set([...ids, 'get:0', 'call-2']).size, ids.length + 2);
});
