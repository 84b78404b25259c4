import assert from 'node:assert/strict';
import type { JsonObject } from '@ravi/kernel';
import fc from 'fast-check';
import { test } from 'vitest';
import { previewOf, redact, restoreRedacted } from '../../src/arguments/redact.ts';

test('the values of keys that usually hold secrets are hidden at any depth and of any type', () => {
  for (const key of [
    'password',
    'Password',
    'user_password',
    'passwd',
    'pass',
    'db_pass',
    'smtpPass',
    'passphrase',
    'secret',
    'clientSecret',
    'token',
    'access_token',
    'apiKey',
    'api-key',
    'x_api_key',
    'Authorization',
    'credentials',
    'cookie',
    'privateKey',
    'bearer',
  ]) {
    for (const value of ['s3cret', 7, ['s3cret'], { deep: 's3cret' }]) {
      assert.deepEqual(redact({ list: [{ [key]: value }] }), { list: [{ [key]: '[redacted]' }] }, key);
    }
  }
});

test('keys that only sound alike stay readable', () => {
  const args = {
    passenger: 1,
    tokens: 2,
    maxTokens: 3,
    compass: 4,
    bypass: 8,
    secretary: 9,
    path: 5,
    key: 6,
    author: 7,
  };
  assert.deepEqual(redact(args), args);
});

test('the original is not touched', () => {
  const args = { password: 'x' };
  redact(args);
  assert.deepEqual(args, { password: 'x' });
});

const keys = fc.constantFrom('a', 'b', 'token', 'password');
const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
  tree: fc.dictionary(keys, fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('tree')), { maxKeys: 3 }),
}));

test('redacted values that the approver left unchanged are restored exactly', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const args = JSON.parse(JSON.stringify(value)) as JsonObject;
      assert.deepEqual(restoreRedacted(redact(args), args), args);
    }),
  );
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
