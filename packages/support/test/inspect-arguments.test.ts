import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { test } from 'vitest';
import { inspectArguments, maxArgumentDepth, maxArgumentNodes, maxArtifactRefs } from '../src/inspect-arguments.ts';
import type { InspectedArguments } from '../src/inspect-arguments.ts';

const megabyte = 1_048_576;

function accepted(value: unknown): InspectedArguments {
  const inspected = inspectArguments(value, megabyte);
  assert.ok(!('problem' in inspected), JSON.stringify(inspected));
  return inspected;
}

function problemOf(value: unknown, maxBytes = megabyte): string {
  const inspected = inspectArguments(value, maxBytes);
  return 'problem' in inspected ? inspected.problem : 'none';
}

test('the copy is equal, frozen at every depth and shares nothing with the original', () => {
  const original = { list: [{ deep: ['x'] }], flag: true, nothing: null, number: -0.5 };
  const { args } = accepted(original);
  assert.deepEqual(args, original);
  assert.throws(() => Object.assign((args['list'] as object[])[0]!, { deep: 1 }), TypeError);
  original.list[0]!.deep.push('y');
  assert.deepEqual(args['list'], [{ deep: ['x'] }]);
});

test('undefined members are left out, undefined entries become null, as in JSON', () => {
  assert.deepEqual(accepted({ a: undefined, list: [undefined, 1] }).args, { list: [null, 1] });
});

test('a getter is read once', () => {
  let reads = 0;
  const args = {
    get path() {
      return ++reads === 1 ? 'harmless' : 'dangerous';
    },
  };
  assert.deepEqual(accepted(args).args, { path: 'harmless' });
  assert.equal(reads, 1);
});

test('missing arguments are refused', () => {
  assert.equal(problemOf(undefined), 'The arguments must be an object, not missing');
});

test('keys that pollute prototypes are refused at any depth', () => {
  const polluted: unknown = JSON.parse('{"a":[{"__proto__":{"isAdmin":true}}]}');
  assert.equal(problemOf(polluted), 'arguments.a[0] has the key "__proto__", which is not allowed');
  assert.equal(
    problemOf({ 'odd key': { constructor: { prototype: {} } } }),
    'arguments["odd key"] has the key "constructor", which is not allowed',
  );
  assert.equal((Object.prototype as { isAdmin?: boolean }).isAdmin, undefined);
});

test('a key "constructor" with plain data is an ordinary key', () => {
  assert.deepEqual(accepted({ constructor: 'ACME Building Ltd' }).args, { constructor: 'ACME Building Ltd' });
});

test('a value that is not JSON is refused with its place', () => {
  assert.equal(problemOf({ a: 1n }), 'arguments.a is a bigint, which is not JSON');
  assert.equal(problemOf({ a: () => 1 }), 'arguments.a is a function, which is not JSON');
  assert.equal(problemOf({ a: Symbol('x') }), 'arguments.a is a symbol, which is not JSON');
  assert.equal(problemOf({ a: [0, Number.NaN] }), 'arguments.a[1] is NaN, which is not JSON');
  assert.equal(problemOf({ a: Infinity }), 'arguments.a is Infinity, which is not JSON');
  assert.equal(problemOf({ a: new Date(0) }), 'arguments.a is a Date, which is not JSON');
  assert.equal(problemOf({ a: new Map([[1, 2]]) }), 'arguments.a is a Map, which is not JSON');
  assert.equal(problemOf({ a: new Uint8Array(2) }), 'arguments.a is a Uint8Array, which is not JSON');
});

test('plain objects of another realm and without a prototype are plain objects', () => {
  assert.deepEqual(accepted({ a: runInNewContext('({ b: [1] })') }).args, { a: { b: [1] } });
  assert.deepEqual(accepted(Object.assign(Object.create(null), { a: 1 })).args, { a: 1 });
});

test('size, depth and number of values are limited, and the message names the limit', () => {
  assert.equal(
    problemOf({ a: 'x'.repeat(megabyte) }),
    `The arguments are larger than ${megabyte} bytes (maxArgumentBytes)`,
  );
  assert.equal(problemOf({ a: 'é'.repeat(60) }, 100), 'The arguments are larger than 100 bytes (maxArgumentBytes)');
  assert.equal(problemOf({ ['k'.repeat(200)]: 1 }, 100), 'The arguments are larger than 100 bytes (maxArgumentBytes)');
  const deep = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), 1);
  assert.equal(problemOf(deep(maxArgumentDepth)), 'none');
  assert.equal(problemOf(deep(maxArgumentDepth + 1)), 'The arguments are nested deeper than 128 levels');
  assert.equal(
    problemOf({ a: new Array(maxArgumentNodes) }, 1_000_000_000),
    `The arguments hold more than ${maxArgumentNodes} values`,
  );
});

test('the number of artifacts is limited', () => {
  const list = Array.from({ length: maxArtifactRefs + 1 }, () => ({ $artifact: 'r' }));
  assert.equal(problemOf({ list }), 'The arguments refer to more than 1000 artifacts');
  assert.equal(accepted({ list: list.slice(1) }).artifacts.length, maxArtifactRefs);
});

test('a cycle ends at the depth limit, and a value whose getters throw is refused', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  assert.match(problemOf(cyclic), /are nested deeper/);
  const hostile = new Proxy({}, { ownKeys: () => { throw new Error('no'); } }); // prettier-ignore
  assert.equal(problemOf(hostile), 'The arguments could not be read');
});

test('artifact refs are found at any depth, and only where the object holds nothing else', () => {
  const { artifacts } = accepted({
    a: { $artifact: 'r1' },
    list: [0, { deep: { $artifact: 'r2' } }],
    more: { $artifact: 'r3', note: 'x' },
    dropped: { $artifact: 'r4', note: undefined },
    number: { $artifact: 7 },
  });
  assert.deepEqual(artifacts, [
    { path: ['a'], ref: 'r1' },
    { path: ['list', 1, 'deep'], ref: 'r2' },
    { path: ['dropped'], ref: 'r4' },
  ]);
});
