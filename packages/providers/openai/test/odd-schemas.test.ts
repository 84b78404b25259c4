import assert from 'node:assert/strict';
import { metaSchemaOracle } from '@ravi/provider-testing';
import { test } from 'vitest';
import { ask, chat, responses, text, tool, user } from './encoding.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const sent = (schema: object) =>
  responses(ask([user(text('x'))], { tools: [tool('t', schema)] })).tools[0]?.['parameters'];
const one = (schema: object) =>
  (sent(object({ p: schema })) as { properties: { p: unknown } } | undefined)?.properties.p;
const number = { type: 'number' };

test('a tuple of any draft is sent as in 2020-12, with its additional items', () => {
  const tuple = { type: 'array', prefixItems: [number, number], items: {} };
  assert.deepEqual(one({ type: 'array', prefixItems: [number, number] }), tuple);
  assert.deepEqual(one({ type: 'array', items: [number, number] }), tuple);
  assert.deepEqual(one({ items: [number, number], additionalItems: false }), {
    prefixItems: [number, number],
    items: false,
  });
  assert.deepEqual(one({ type: 'array', items: number, additionalItems: false }), { type: 'array', items: number });
});

test('a keyword with an invalid value is removed, with a warning about the lost restriction', () => {
  const odd: [given: object, sent: object, loss?: RegExp][] = [
    [{ type: 'number', minimum: 0, exclusiveMinimum: true }, { type: 'number', minimum: 0 }, /"exclusiveMinimum"/u],
    [{ type: 'string', minLength: '1', description: null }, { type: 'string' }, /"minLength" cannot be "1"/u],
    [{ type: 'string', enum: 'a' }, { type: 'string' }, /"enum"/u],
    [
      { type: 'array', items: null },
      { type: 'array', items: {} },
    ],
    [{ type: null, examples: 'x' }, {}],
    [{ type: ['string', 'string', 'null'] }, { type: ['string', 'null'] }],
    [object({ a: {} }, { required: ['a', 'a'] }), object({ a: {} }, { required: ['a'] })],
    [object({}, { additionalProperties: 'false' }), object({}), /"additionalProperties"/u],
    [object({}, { $id: '#/properties/p', $recursiveAnchor: true }), object({}), /"\$recursiveAnchor"/u],
    [{ $ref: 3, $id: 4 }, {}, /"\$ref"/u],
    [{ type: 'number', multipleOf: 0 }, number, /"multipleOf"/u],
  ];
  const judge = metaSchemaOracle();
  assert.match(judge(object({ p: { minLength: '1' } })) ?? '', /integer/u);
  for (const [given, expected, loss] of odd) {
    const { tools, warnings } = chat(ask([], { tools: [tool('t', object({ p: given }))] }), 'compatible');
    const schema = tools[0]?.['function']?.['parameters'];
    assert.deepEqual(schema, object({ p: expected }));
    assert.equal(judge(schema), undefined);
    assert.match(warnings.map(({ message }) => message).join(), loss ?? /^$/u);
  }
});
