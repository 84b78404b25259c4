import assert from 'node:assert/strict';
import { jsonTextExcess, jsonValueExcess } from '@ravi/source-kit';
import { test } from 'vitest';

const limits = { maxBytes: 1_000_000, maxDepth: 10, maxNodes: 100 };

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

test('JSON within the limits is accepted', () => {
  const value = { a: [1, 'two', null, { b: true }] };
  assert.equal(jsonTextExcess(JSON.stringify(value), limits), undefined);
  assert.equal(jsonValueExcess(value, limits), undefined);
  assert.equal(jsonValueExcess(nested(10), limits), undefined);
});

test('a million levels are refused without recursion', () => {
  const text = `${'['.repeat(1_000_000)}1${']'.repeat(1_000_000)}`;
  assert.match(jsonTextExcess(text, { ...limits, maxBytes: 10_000_000 }) ?? '', /deeper than 10 levels/);
  assert.match(jsonValueExcess(nested(1_000_000), limits) ?? '', /deeper than 10 levels/);
  const deep = { maxBytes: 1e9, maxDepth: 1e9, maxNodes: 1e9 };
  assert.equal(jsonValueExcess(nested(1_000_000), deep), undefined);
});

test('the limits are exact', () => {
  assert.match(jsonValueExcess(nested(11), limits) ?? '', /deeper/);
  assert.match(jsonTextExcess(JSON.stringify(nested(11)), limits) ?? '', /deeper/);
  assert.equal(
    jsonValueExcess(
      Array.from({ length: 99 }, () => 1),
      limits,
    ),
    undefined,
  );
  assert.match(
    jsonValueExcess(
      Array.from({ length: 100 }, () => 1),
      limits,
    ) ?? '',
    /more than 100 values/,
  );
});

test('bytes are counted in UTF-8, keys included', () => {
  const small = { ...limits, maxBytes: 20 };
  assert.match(jsonTextExcess(JSON.stringify('ääääääääää'), small) ?? '', /larger than 20 bytes/);
  assert.match(jsonValueExcess({ ['k'.repeat(30)]: '' }, small) ?? '', /larger than 20 bytes/);
  assert.match(jsonValueExcess('ä'.repeat(11), small) ?? '', /larger than 20 bytes/);
  assert.equal(jsonValueExcess('ä'.repeat(10), small), undefined);
});

test('a value that contains itself is too deep, and a shared one counts at each place', () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  assert.match(jsonValueExcess(loop, limits) ?? '', /deeper than/);
  const shared = Array.from({ length: 30 }, () => 1);
  assert.match(jsonValueExcess([shared, shared, shared, shared], limits) ?? '', /more than 100 values/);
});
