import assert from 'node:assert/strict';
import type { JsonSchema } from '@ravi/kernel';
import { ask, tool } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encoded, schemaOf } from './encoding.ts';

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const pair = (ref: string): object => ({ left: { $ref: ref }, right: { $ref: ref } });
const sizeOf = (schema: object, schemas: 'json' | 'openapi'): number =>
  JSON.stringify(schemaOf(schema, { schemas })).length;

test('a recursive tree becomes one definition', () => {
  const value = { type: 'number' };
  const tree = object({ node: object({ ...pair('#/properties/node'), value }) });
  const node = (ref: string): object => object({ ...pair(ref), value });
  assert.deepEqual(schemaOf(tree), {
    ...object({ node: node('#/$defs/properties_node') }),
    $defs: { properties_node: node('#/$defs/properties_node') },
  });
  assert.ok(sizeOf(tree, 'openapi') < 100_000);
});

test('parts that refer back to the whole are merged once and may be nested in it again', () => {
  const twice = { allOf: [{ $ref: '#/$defs/X' }, { $ref: '#/$defs/X' }] };
  const circle = object({ a: twice }, { $defs: { X: { type: 'object', ...twice } } });
  assert.deepEqual(schemaOf(circle), object({ a: { type: 'object' } }));
  const one = (): object => ({ allOf: [{ $ref: '#/$defs/T' }] });
  const below = object({ a: one() }, { $defs: { T: object({ left: one(), right: one() }) } });
  for (const schemas of ['json', 'openapi'] as const) assert.ok(sizeOf(below, schemas) < 100_000);
  assert.match(JSON.stringify(schemaOf(below)), /"left":\{"\$ref":"#\/\$defs\/merged/u);
});

test('definitions that all refer to each other stay within bounds, with a warning about references that are not followed', () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const all = (): object => Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const $defs = Object.fromEntries(names.map((name) => [name, object(all())]));
  const schema = object({ a: { $ref: '#/$defs/A' }, last: { type: 'string' } }, { $defs });
  assert.deepEqual(schemaOf(schema), schema);
  assert.ok(sizeOf(schema, 'openapi') < 200_000);
  const tools = [tool('all', schema as JsonSchema), tool('plain')];
  const { functions, warnings } = encoded(ask([], { tools }), 'gemini-2.5-flash', { schemas: 'openapi' });
  assert.match(JSON.stringify(functions[0]?.['parameters']), /"last":\{"type":"STRING"\}/u);
  assert.deepEqual(new Set(warnings.map(({ code, tool: name }) => `${code} ${name}`)), new Set(['tool-degraded all']));
});

test('an endless schema is cut with a warning, and the other tool is sent whole', () => {
  const wide = object(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`p${at}`, { type: 'string' }])));
  const tools = [tool('wide', wide as JsonSchema), tool('go', object({ a: { type: 'string' } }) as JsonSchema)];
  const { functions, warnings } = encoded(ask([], { tools }));
  assert.deepEqual(functions[1]?.['parametersJsonSchema'], object({ a: { type: 'string' } }));
  assert.match(warnings.map(({ tool: name, message }) => `${name}: ${message}`).join(), /^wide: .*may be anything$/u);
});

test('names of definitions are valid for every parser, also if the reference escapes them', () => {
  const $defs = { 'Page[Item]': object({ next: { $ref: '#/$defs/Page%5BItem%5D' } }), 'a/b': { type: 'string' } };
  const schema = object({ page: { $ref: '#/$defs/Page%5BItem%5D' }, text: { $ref: '#/$defs/a~1b' } }, { $defs });
  assert.deepEqual(schemaOf(schema), {
    ...object({ page: { $ref: '#/$defs/Page_Item_' }, text: { $ref: '#/$defs/a_b' } }),
    $defs: { Page_Item_: object({ next: { $ref: '#/$defs/Page_Item_' } }), a_b: { type: 'string' } },
  });
});
