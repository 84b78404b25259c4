import type { JsonValue } from '@ravi/kernel';
import { named, nested, repeat, rowsOf } from './hostile-pair.ts';
import type { HostilePair } from './hostile-pair.ts';

function tree(depth: number, width: number): JsonValue {
  return depth === 0 ? 1 : repeat(width, () => tree(depth - 1, width));
}

/** Pairs whose keywords compare or visit the items of lists. */
export const listPairs: readonly HostilePair[] = [
  {
    name: 'uniqueItems at each of 17 levels of a binary tree',
    create: () => ({
      schema: { properties: { a: nested(17, {}, (items) => ({ uniqueItems: true, items })) } },
      value: { a: tree(17, 2) },
    }),
  },
  {
    name: 'uniqueItems at each of 60 levels around a large list',
    create: () => ({
      schema: { properties: { a: nested(55, {}, (items) => ({ uniqueItems: true, items })) } },
      value: {
        a: Array.from({ length: 54 }).reduce<JsonValue>(
          (inner) => [inner, 0],
          repeat(100_000, (id) => [id]),
        ),
      },
    }),
  },
  {
    name: '1,000 times uniqueItems for a list of 10,000 objects',
    create: () => ({
      schema: { properties: { a: { allOf: repeat(1_000, () => ({ uniqueItems: true })) } } },
      value: { a: repeat(10_000, (id) => ({ id, text: 'x' })) },
    }),
  },
  {
    name: 'uniqueItems for 30,000 long strings',
    create: () => ({
      schema: { properties: { a: { allOf: repeat(500, () => ({ uniqueItems: true })) } } },
      value: { a: repeat(30_000, (index) => `${'x'.repeat(90)}${index}`) },
    }),
  },
  {
    name: 'uniqueItems for 200,000 numbers',
    create: () => ({
      schema: { properties: { a: { allOf: repeat(100, () => ({ uniqueItems: true })) } } },
      value: { a: repeat(200_000, (index) => index) },
    }),
  },
  {
    name: '1,900 times contains for 100,000 items',
    create: () => ({
      schema: { properties: { a: { allOf: repeat(1_900, (index) => ({ contains: { const: -index - 1 } })) } } },
      value: { a: repeat(100_000, (index) => index) },
    }),
  },
  {
    name: '1,000 times not/contains for 100,000 items',
    create: () => ({
      schema: { properties: { a: { allOf: repeat(1_000, () => ({ not: { contains: false } })) } } },
      value: { a: repeat(100_000, (index) => index) },
    }),
  },
  {
    name: 'minContains and maxContains 1,000 times',
    create: () => ({
      schema: {
        properties: { a: { allOf: repeat(1_000, () => ({ contains: true, minContains: 9, maxContains: 200_000 })) } },
      },
      value: { a: repeat(100_000, (index) => index) },
    }),
  },
  {
    name: 'unevaluatedItems below 1,000 tuples',
    create: () => ({
      schema: {
        properties: {
          a: { allOf: repeat(500, () => ({ contains: { type: 'integer' } })), unevaluatedItems: { type: 'string' } },
        },
      },
      value: { a: repeat(100_000, (index) => index) },
    }),
  },
  {
    name: 'a tuple of 3,900 schemas for 40 lists',
    create: () => ({
      schema: rowsOf({ prefixItems: repeat(3_900, () => ({ type: 'integer' })), items: false }),
      value: { rows: repeat(40, () => repeat(3_900, (index) => index)) },
    }),
  },
  {
    name: 'a tuple of draft-07 repeated 700 times',
    create: () => ({
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { allOf: repeat(700, () => ({ items: [{}, {}], additionalItems: { type: 'integer' } })) } },
      },
      value: { a: repeat(200_000, (index) => index) },
    }),
  },
  {
    name: 'an enum of 2,000 objects for an object of 100,000 properties',
    create: () => ({
      schema: { properties: { a: { enum: repeat(2_000, (index) => ({ index })) } } },
      value: { a: named(100_000, () => 1) },
    }),
  },
  {
    name: 'a constant of 3,000 lists for 60 equal lists',
    create: () => ({
      schema: rowsOf({ anyOf: repeat(3, (each) => ({ const: [...repeat(1_200, (index) => [index]), each] })) }),
      value: { rows: repeat(80, () => [...repeat(1_200, (index) => [index]), 2]) },
    }),
  },
  {
    name: '1,300 number keywords for 200,000 numbers',
    create: () => ({
      schema: rowsOf({ allOf: repeat(1_300, () => ({ minimum: 0, maximum: 1e9, multipleOf: 1, type: 'integer' })) }),
      value: { rows: repeat(200_000, (index) => index) },
    }),
  },
  {
    name: '1,900 times minItems and maxItems for 100,000 lists',
    create: () => ({
      schema: rowsOf({ allOf: repeat(1_900, () => ({ minItems: 0, maxItems: 3 })) }),
      value: { rows: repeat(100_000, () => []) },
    }),
  },
];
