import assert from 'node:assert/strict';
import { ask, tool } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encoded, schemaOf } from './encoding.ts';

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const one = (schema: object): unknown =>
  (schemaOf(object({ a: schema })) as { properties: { a: unknown } }).properties.a;
const old = (schema: object): unknown =>
  (schemaOf(object({ a: schema }), { schemas: 'openapi' }) as { properties: { a: unknown } }).properties.a;

test('several types become alternatives, each with its own keywords: Portkey#1203, vercel/ai#19000', () => {
  assert.deepEqual(one({ type: ['string', 'integer', 'null'], description: 'd', maximum: 5, pattern: 'x' }), {
    description: 'd',
    anyOf: [{ type: 'string', pattern: 'x' }, { type: 'integer', maximum: 5 }, { type: 'null' }],
  });
});

test('values are listed by type; those that are neither strings nor numbers are described', () => {
  assert.deepEqual(one({ enum: ['a', 1, null] }), {
    anyOf: [{ type: 'string', enum: ['a'] }, { type: 'integer', enum: [1] }, { type: 'null' }],
  });
  assert.deepEqual(one({ const: 'a', description: 'd' }), { description: 'd', type: 'string', enum: ['a'] });
  assert.deepEqual(one({ const: true, description: 'd' }), { description: 'd (values: [true])', type: 'boolean' });
  assert.deepEqual(one({ type: ['string', 'null'], enum: ['a'] }), { type: 'string', enum: ['a'] });
  assert.deepEqual(one({ type: 'string', nullable: true }), { anyOf: [{ type: 'string' }, { type: 'null' }] });
});

test('unsupported limits become part of the description', () => {
  assert.deepEqual(one({ type: 'string', minLength: 2, maxLength: 4, description: 'A code.' }), {
    type: 'string',
    description: 'A code. (minLength: 2, maxLength: 4)',
  });
  assert.deepEqual(one({ type: 'array', items: { type: 'number', exclusiveMinimum: 0 }, uniqueItems: true }), {
    type: 'array',
    description: '(uniqueItems: true)',
    items: { type: 'number', description: '(exclusiveMinimum: 0)' },
  });
});

test('a reference has no siblings; a description wraps it: any-llm#1094, DEEIX#546', () => {
  const $defs = { point: object({ x: { type: 'number' } }) };
  const schema = object(
    { a: { $ref: '#/definitions/point' }, b: { $ref: '#/definitions/point', description: 'd' } },
    { definitions: $defs },
  );
  assert.deepEqual(schemaOf(schema), {
    ...object({ a: { $ref: '#/$defs/point' }, b: { description: 'd', anyOf: [{ $ref: '#/$defs/point' }] } }),
    $defs,
  });
});

test('references outside the definitions are inlined or may be anything', () => {
  const schema = object({
    a: object({ b: { type: 'string' } }),
    c: { $ref: '#/properties/a/properties/b' },
    d: { $ref: 'https://a.example/s' },
  });
  assert.deepEqual(schemaOf(schema), object({ a: object({ b: { type: 'string' } }), c: { type: 'string' }, d: {} }));
  const { warnings } = encoded(ask([], { tools: [tool('t', schema as never)] }));
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['tool-degraded'],
  );
});

test('a definition reaches itself only through optional properties', () => {
  const node = (required: readonly string[]): object =>
    object({ next: { $ref: '#/$defs/node' }, value: { type: 'string' } }, required.length > 0 ? { required } : {});
  const schema = (required: readonly string[]): object =>
    object({ a: { $ref: '#/$defs/node' } }, { $defs: { node: node(required) } });
  assert.deepEqual(schemaOf(schema([])), schema([]));
  assert.deepEqual(
    schemaOf(schema(['next'])),
    object(
      { a: { $ref: '#/$defs/node' } },
      {
        $defs: { node: object({ next: {}, value: { type: 'string' } }, { required: ['next'] }) },
      },
    ),
  );
});

test('all parts of allOf are merged, and required properties without a definition are dropped', () => {
  assert.deepEqual(
    one({
      allOf: [object({ x: { type: 'string' } }, { required: ['x', 'ghost'] }), object({ y: { type: 'number' } })],
    }),
    object({ y: { type: 'number' }, x: { type: 'string' } }, { required: ['x'] }),
  );
});

test('the older dialect has flags for null, one name for each type and no references: OmniRoute#1421', () => {
  assert.deepEqual(old({ type: ['string', 'null'], format: 'uri', minLength: 1 }), {
    type: 'STRING',
    nullable: true,
    description: '(minLength: 1) (format: "uri")',
  });
  assert.deepEqual(old({ type: 'array', items: { type: 'integer', enum: [1, 2] }, minItems: 1 }), {
    type: 'ARRAY',
    minItems: '1',
    items: { type: 'INTEGER', description: '(enum: [1,2])' },
  });
  assert.deepEqual(old(object({ x: { type: 'boolean' } }, { additionalProperties: false, required: ['x'] })), {
    type: 'OBJECT',
    properties: { x: { type: 'BOOLEAN' } },
    required: ['x'],
  });
});

test('alternatives in the older dialect have no siblings: vercel/ai#19000', () => {
  assert.deepEqual(old({ description: 'd', anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }), {
    anyOf: [
      { description: 'd', type: 'STRING', nullable: true },
      { description: 'd', type: 'NUMBER', nullable: true },
    ],
  });
});

test('a circular reference is followed a few times in the older dialect', () => {
  const schema = object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: object({ n: { $ref: '#/$defs/n' } }) } });
  const text = JSON.stringify(schemaOf(schema, { schemas: 'openapi' }));
  assert.doesNotMatch(text, /\$ref/u);
  assert.equal(text.match(/"n":/gu)?.length, 4);
});

test('a function without arguments has no schema in the older dialect and an empty one in the other', () => {
  assert.equal(schemaOf({ type: 'object' }, { schemas: 'openapi' }), undefined);
  assert.deepEqual(schemaOf({ type: 'object' }), { type: 'object', properties: {} });
});
