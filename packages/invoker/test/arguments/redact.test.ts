import assert from 'node:assert/strict';
import { test } from 'vitest';
import { previewOf } from '../../src/arguments/redact.ts';

test('a preview hides strings and shows objects and amounts of any name', () => {
  assert.equal(previewOf({ token: { to: 'x', amount: 5 }, secret: 7 }), '{"token":{"to":"x","amount":5},"secret":7}');
});

test('a preview is redacted JSON of at most 200 bytes plus a mark, for arguments of any size', () => {
  assert.equal(previewOf({}), '{}');
  assert.equal(
    previewOf({ a: [1, 'x', null, { b: true }], token: 't' }),
    '{"a":[1,"x",null,{"b":true}],"token":"[redacted]"}',
  );
  const long = previewOf({ a: '😀'.repeat(100_000), b: Array.from({ length: 100_000 }, (_, index) => index) });
  assert.ok(Buffer.byteLength(long) <= 203);
  assert.ok(long.isWellFormed());
  assert.match(long, /…$/);
});
