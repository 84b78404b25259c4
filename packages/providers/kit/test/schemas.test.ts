import assert from 'node:assert/strict';
import { test } from 'vitest';
import { portableSchema, portableValueSchema, strictSchema, stripNulls } from '../src/index.ts';
import type { SchemaObject, StrictRules } from '../src/index.ts';

const rules: StrictRules = {
  forbidden: new Set(['oneOf', 'allOf', 'patternProperties']),
  formats: new Set(['date']),
  allRequired: true,
  recursion: true,
  emptyObjects: false,
  maxProperties: 100,
  maxDepth: 5,
  maxEnumValues: 50,
  maxNameChars: 1000,
};

function portable(schema: unknown): SchemaObject {
  const made = portableSchema(schema);
  assert.ok('schema' in made, 'refused' in made ? made.refused : '');
  return made.schema;
}

const strictOf = (schema: unknown) => strictSchema(portable(schema), rules);
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });

test('any root that describes an object becomes an object with properties', () => {
  assert.deepEqual(portable(true), { type: 'object', properties: {} });
  assert.deepEqual(portable({ $schema: 'http://json-schema.org/draft-07/schema#' }), {
    type: 'object',
    properties: {},
  });
  const $defs = { A: object({ a: { type: 'string' } }, 'a') };
  assert.deepEqual(portable({ $ref: '#/$defs/A', $defs }), { $defs, ...object({ a: { type: 'string' } }, 'a') });
  assert.deepEqual(
    portable({
      anyOf: [
        object({ a: { type: 'string' }, b: { type: 'number' } }, 'a', 'b'),
        object({ a: { type: 'string' } }, 'a'),
      ],
    }),
    object({ a: { type: 'string' }, b: { type: 'number' } }, 'a'),
  );
  assert.deepEqual(
    portable({ allOf: [object({ a: {} }, 'a'), object({ b: {} }, 'b')] }),
    object({ a: {}, b: {} }, 'a', 'b'),
  );
});

test('arguments that cannot be an object, a circular root, and endless depth are refused', () => {
  for (const schema of [null, [], 'x', { type: 'string' }, { $ref: '#' }])
    assert.ok('refused' in portableSchema(schema));
  let deep: object = {};
  for (let level = 0; level < 100; level++) deep = { type: 'object', properties: { deep } };
  assert.ok('refused' in portableSchema(deep));
});

test('unknown values are removed at any depth, and required ones are added', () => {
  const odd = { type: 'array' };
  const schema = object({
    list: odd,
    any: { type: 'any' },
    pair: { type: ['string', 'date'] },
    flag: { type: 'string', required: true },
  });
  assert.deepEqual(portable(schema), {
    type: 'object',
    properties: { list: { type: 'array', items: {} }, any: {}, pair: { type: 'string' }, flag: { type: 'string' } },
  });
});

test('strict mode closes objects and makes optional properties required and nullable; the nulls are removed again', () => {
  const schema = portable(
    object(
      {
        name: { type: 'string', format: 'uri' },
        limit: { type: 'integer' },
        kind: { enum: ['a', 'b'], description: 'Kind.' },
        maybe: { type: ['string', 'null'] },
        inner: object({ x: { type: 'string' }, y: { type: 'string' } }, 'x'),
        list: { type: 'array', items: object({ z: { type: 'number' } }) },
      },
      'name',
    ),
  );
  const strict = strictSchema(schema, rules);
  assert.ok('schema' in strict && strict.isRewritten);
  const properties = strict.schema['properties'] as Record<string, unknown>;
  assert.deepEqual(strict.schema['required'], Object.keys(properties));
  assert.deepEqual(properties['name'], { type: 'string' });
  assert.deepEqual(properties['limit'], { type: ['integer', 'null'] });
  assert.deepEqual(properties['kind'], { description: 'Kind.', anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] });
  const args = {
    name: 'n',
    limit: null,
    kind: null,
    maybe: null,
    inner: { x: 'x', y: null },
    list: [{ z: null }, { z: 1 }],
  };
  assert.deepEqual(stripNulls(args, schema), { name: 'n', maybe: null, inner: { x: 'x' }, list: [{}, { z: 1 }] });
});

test('nulls are removed in targets of references and in the alternative that matches the object', () => {
  const schema = portable({
    ...object({
      one: { $ref: '#/$defs/One' },
      many: { anyOf: [{ $ref: '#/$defs/One' }, object({ b: { type: 'string' }, c: { type: 'string' } })] },
    }),
    $defs: { One: object({ a: { type: 'string' }, next: { $ref: '#/$defs/One' } }, 'a') },
  });
  assert.ok('schema' in strictSchema(schema, rules));
  const args = { one: { a: 'a', next: { a: 'b', next: null } }, many: { b: null, c: 'c' } };
  assert.deepEqual(stripNulls(args, schema), { one: { a: 'a', next: { a: 'b' } }, many: { c: 'c' } });
});

test('of alternatives with the same properties, the one that allows the values describes the object', () => {
  const kind = (value: string, ...required: string[]) =>
    object({ kind: { const: value }, note: { type: 'string' } }, 'kind', ...required);
  const note = { type: ['string', 'null'] };
  const open = object({ kind: { enum: ['c'] }, note }, 'kind');
  const schema = portable(object({ one: { anyOf: [kind('a', 'note'), kind('b'), open] } }));
  const read = (value: string) => stripNulls({ one: { kind: value, note: null } }, schema)['one'];
  assert.deepEqual(read('a'), { kind: 'a', note: null });
  assert.deepEqual(read('b'), { kind: 'b' });
  assert.deepEqual(read('c'), { kind: 'c', note: null });
});

test('the target of a reference into a rewritten root becomes a definition', () => {
  const inner = object({ b: { type: 'string' }, again: { $ref: '#/anyOf/0/properties/a' } });
  const anyOf = [object({ a: inner }), object({ c: { $ref: '#/anyOf/0/properties/a' } })];
  const made = portable({ anyOf });
  const kept = { ...inner.properties, again: { $ref: '#/$defs/anyOf_0_properties_a' } };
  assert.deepEqual(
    (made['$defs'] as Record<string, { properties: unknown }>)['anyOf_0_properties_a']?.properties,
    kept,
  );
  assert.deepEqual((made['properties'] as Record<string, unknown>)['c'], { $ref: '#/$defs/anyOf_0_properties_a' });
  const list = portableValueSchema({
    $ref: '#/$defs/L',
    $defs: { L: { type: 'array', items: { $ref: '#/$defs/A' } }, A: {} },
  });
  assert.ok('schema' in list && list.schema['type'] === 'array');
});

test('a reference into a tuple is changed to where 2020-12 has it', () => {
  const pair = { type: 'array', items: [{ type: 'string' }, { $ref: '#/properties/pair/items/0' }] };
  const properties = { pair, first: { $ref: '#/properties/pair/items/0' } };
  const moved = { $ref: '#/properties/pair/prefixItems/0' };
  assert.deepEqual(portable(object(properties)), {
    type: 'object',
    properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, moved], items: {} }, first: moved },
  });
});

test('strict mode removes unknown keywords, and refuses mixed types if a provider does not support them', () => {
  const schema = object({ a: { type: 'string', optional: true, title: 'A' } }, 'a');
  const strict = strictOf(schema);
  assert.deepEqual('schema' in strict && strict.schema['properties'], { a: { type: 'string' } });
  const mixed = portable(object({ a: { type: ['array', 'string'], items: { type: 'string' } } }, 'a'));
  assert.ok('schema' in strictSchema(mixed, rules));
  const refused = strictSchema(mixed, { ...rules, mixedTypes: false });
  assert.match('refused' in refused ? refused.refused : 'accepted', /mixes/);
});

test('a schema that strict mode would change is refused with the reason', () => {
  const cases: [unknown, RegExp][] = [
    [object({ map: { type: 'object', additionalProperties: { type: 'string' } } }), /any property/],
    [object({ free: { type: 'object' } }), /no properties/],
    [object({ any: {} }), /accepts any value/],
    [object({ list: { type: 'array' } }), /accepts any value/],
    [object({ a: { oneOf: [{ type: 'string' }] } }), /oneOf/],
    [object({ a: { $ref: 'https://example.org/a' } }), /not a local reference/],
    [object({ a: { enum: Array.from({ length: 51 }, (_, n) => n) } }), /50 enum values/],
    [object({}, 'ghost'), /does not define/],
  ];
  for (const [schema, reason] of cases) {
    const strict = strictOf(schema);
    assert.match('refused' in strict ? strict.refused : 'accepted', reason);
  }
  const circle = { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: object({ a: { $ref: '#/$defs/A' } }) } };
  const strict = strictSchema(portable(circle), { ...rules, recursion: false });
  assert.match('refused' in strict ? strict.refused : 'accepted', /itself/);
});

test('a schema whose references would lose their targets by the rewriting is not strict', () => {
  const place = object({ city: { type: 'string' } }, 'city');
  const dangling = object({ from: place, to: { $ref: '#/properties/from/properties/city' } }, 'to');
  const unmixed = (schema: unknown) => strictSchema(portable(schema), { ...rules, mixedTypes: false });
  const result = unmixed(dangling);
  assert.match('refused' in result ? result.refused : '', /"#\/properties\/from\/properties\/city" points at a part/u);
  const kept = unmixed(object({ from: place, to: { $ref: '#/properties/from/properties/city' } }, 'from', 'to'));
  assert.ok('schema' in kept);
});
