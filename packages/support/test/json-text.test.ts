import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { jsonTextProblem } from '../src/json-text.ts';

const none = { maxDepth: Infinity, maxValues: Infinity };

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, child) => sum + valuesOf(child), 1);
}

test('depth and number of values are counted exactly, at any spacing', () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(2), (value, spaces) => {
    const text = JSON.stringify(value, undefined, spaces);
    const parsed: unknown = JSON.parse(text);
    const [depth, values] = [depthOf(parsed), valuesOf(parsed)];
    assert.equal(jsonTextProblem(text, { maxDepth: depth, maxValues: values }), undefined);
    if (depth > 0) assert.match(jsonTextProblem(text, { ...none, maxDepth: depth - 1 }) ?? '', /nests deeper than/);
    if (values > 1) assert.match(jsonTextProblem(text, { ...none, maxValues: values - 1 }) ?? '', /holds more than/);
  });
  fc.assert(property, { numRuns: 500 });
});

test('brackets and commas in strings and keys do not count', () => {
  const text = JSON.stringify({ '[[,"\\': '{{,\\"', last: '\\' });
  assert.equal(jsonTextProblem(text, { maxDepth: 1, maxValues: 3 }), undefined);
});

test('text that is not JSON is left to the parser', () => {
  for (const text of ['', '"', '"\\', ']]', '{"a":', 'nul']) assert.equal(jsonTextProblem(text, none), undefined, text);
});

test('without limits those of texts that contain arguments apply', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const list = (values: number): string => `[${Array.from({ length: values }, () => 0).join()}]`;
  assert.equal(jsonTextProblem(nested(256)), undefined);
  assert.equal(jsonTextProblem(nested(257)), 'nests deeper than 256 levels');
  assert.equal(jsonTextProblem(list(262_143)), undefined);
  assert.equal(jsonTextProblem(list(262_144)), 'holds more than 262144 values');
});
