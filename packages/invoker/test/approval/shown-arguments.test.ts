import assert from 'node:assert/strict';
import type { JsonObject, JsonSchema } from '@ravi/kernel';
import fc from 'fast-check';
import { test } from 'vitest';
import { createSecretFinder } from '../../src/approval/secret-spans.ts';
import { restoreHidden, showArguments } from '../../src/approval/shown-arguments.ts';

const find = createSecretFinder(['s3cret-of-the-server']);
const shown = (args: JsonObject, schema: JsonSchema = {}): JsonObject => showArguments(args, schema, find).args;

test('objects, numbers and booleans are always visible, and a name hides nothing that the schema does not declare', () => {
  const args = {
    token: { to: 'attacker', amount: 1_000_000 },
    password: 1_000_000,
    secret: ['to', 'attacker'],
    page_token: 'next-page',
    cookie: 'oatmeal',
    api_key: 'visible, because the model chose this name',
    query: 'token=1000000&password=12.50',
  };
  assert.deepEqual(shown(args), args);
});

test('the schema hides strings: writeOnly, the format password, and declared names of credentials, at any depth', () => {
  const schema: JsonSchema = {
    $defs: { key: { properties: { value: { type: 'string', writeOnly: true } } } },
    properties: {
      pin: { type: 'string', format: 'password' },
      api_key: { type: 'string' },
      keys: { items: { $ref: '#/$defs/key' } },
      any: { anyOf: [{ type: 'integer' }, { type: 'string', writeOnly: true }] },
    },
  };
  const args = { pin: '4711', api_key: 'k', keys: [{ value: 'v', name: 'n', cents: 5 }], any: 'x', note: 'n' };
  assert.deepEqual(shown(args, schema), {
    pin: '[redacted]',
    api_key: '[redacted]',
    keys: [{ value: '[redacted]', name: 'n', cents: 5 }],
    any: '[redacted]',
    note: 'n',
  });
});

test('headers with credentials are hidden by their well-known names', () => {
  assert.deepEqual(
    shown({
      headers: [
        { name: 'Authorization', value: 'Basic' },
        { name: 'Accept', value: 'text/html' },
      ],
      requestHeaders: { 'X-Api-Key': 'abc', Accept: 'x', cookie: 'a=b' },
    }),
    {
      headers: [
        { name: 'Authorization', value: '[redacted]' },
        { name: 'Accept', value: 'text/html' },
      ],
      requestHeaders: { 'X-Api-Key': '[redacted]', Accept: 'x', cookie: '[redacted]' },
    },
  );
});

test('only the secret part of a text is hidden', () => {
  const jwt = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;
  for (const [text, expected] of [
    ['api_key=abcdef123&amount=5000', 'api_key=[redacted]&amount=5000'],
    ['https://ada:pa55word@example.org/x', 'https://ada:[redacted]@example.org/x'],
    ['curl -H "Authorization: Bearer abc123def456" x', 'curl -H "Authorization: Bearer [redacted]" x'],
    ['it is s3cret-of-the-server.', 'it is [redacted].'],
    [`sent ${jwt} twice`, 'sent [redacted] twice'],
    ['basic authentication stays', 'basic authentication stays'],
    ['?page_token=next-page-of-the-list', '?page_token=next-page-of-the-list'],
  ] as const) {
    assert.equal(shown({ text })['text'], expected);
  }
});

const schema: JsonSchema = {
  $defs: { node: { properties: { pin: { type: 'string', writeOnly: true }, more: { $ref: '#/$defs/node' } } } },
  $ref: '#/$defs/node',
};
const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(fc.string(), fc.constantFrom('token=abcd1234', '[redacted]'), fc.integer(), fc.constant(null)),
  tree: fc.dictionary(fc.constantFrom('a', 'pin', 'more'), fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('tree')), {
    maxKeys: 3,
  }),
}));

test('what the approver left unchanged is restored exactly', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const args = JSON.parse(JSON.stringify(value)) as JsonObject;
      const seen = showArguments(args, schema, find);
      assert.deepEqual(restoreHidden(seen.args, args, seen), { args });
    }),
  );
});

test('a text that was edited around its secret keeps the secret, one with more placeholders is unclear', () => {
  const args = { query: 'token=abcd1234&cents=5' };
  const seen = showArguments(args, {}, find);
  assert.deepEqual(restoreHidden({ query: 'token=[redacted]&cents=9' }, args, seen), {
    args: { query: 'token=abcd1234&cents=9' },
  });
  for (const query of ['[redacted][redacted]', 'a [redacted] b [redacted]']) {
    assert.deepEqual(restoreHidden({ query }, args, seen), { unclear: ['/query'] });
  }
  assert.deepEqual(restoreHidden({ other: 'x[redacted]' }, args, seen), { unclear: ['/other'] });
});

test('a known secret is hidden in the encodings that programs use', () => {
  const { args } = showArguments({ body: btoa('user:s3cret-of-the-server'), note: 'dXNlcg==' }, {}, find);
  const body = args['body'] as string;
  assert.match(body, /\[redacted\]/);
  assert.ok(body.length < 24, body);
  assert.equal(args['note'], 'dXNlcg==');
});
