import type { JsonSchema } from '@ravi/kernel';
import { named, nested, repeat, rowsOf } from './hostile-pair.ts';
import type { HostilePair } from './hostile-pair.ts';

const texts = (count: number): string[] => repeat(count, (index) => `s${index}`);

/** Creates 64 definitions, each an alternative of twice the next one, so that the alternatives double at every step. */
function doubling(keyword: 'allOf' | 'anyOf' | 'oneOf', last: JsonSchema): JsonSchema {
  const definitions: Record<string, JsonSchema> = { d64: last };
  for (let level = 0; level < 64; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    definitions[`d${level}`] = { [keyword]: [next, next] };
  }
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: definitions };
}

/** Pairs whose combinators apply many schemas to the same value. */
export const combinatorPairs: readonly HostilePair[] = [
  {
    name: 'allOf of 1,300 not/const for 200,000 strings',
    create: () => ({
      schema: rowsOf({ allOf: repeat(1_300, (index) => ({ not: { const: `x${index}` } })) }),
      value: { rows: texts(200_000) },
    }),
  },
  {
    name: 'anyOf of 1,900 types for 100,000 strings',
    create: () => ({
      schema: rowsOf({ anyOf: [...repeat(1_900, () => ({ type: 'number' })), { type: 'string' }] }),
      value: { rows: texts(100_000) },
    }),
  },
  {
    name: 'oneOf of 1,300 constants for 100,000 strings',
    create: () => ({
      schema: rowsOf({ oneOf: repeat(1_300, (index) => ({ const: `s${index}` })) }),
      value: { rows: repeat(100_000, () => 's1299') },
    }),
  },
  {
    name: 'anyOf whose 1,900 branches each report a problem',
    create: () => ({
      schema: rowsOf({ anyOf: repeat(1_900, (index) => ({ required: [`key${index}`] })) }),
      value: { rows: repeat(20_000, () => ({})) },
    }),
  },
  ...(['anyOf', 'oneOf', 'allOf'] as const).map((keyword) => ({
    name: `${keyword} doubling at each of 64 references`,
    create: () => ({ schema: doubling(keyword, keyword === 'allOf' ? {} : { type: 'null' }), value: { a: 1 } }),
  })),
  {
    name: 'a schema that is its own reference',
    create: () => ({ schema: { type: 'object', $ref: '#' }, value: {} }),
  },
  {
    name: 'two definitions that refer to each other',
    create: () => ({
      schema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, {}] } } },
      value: {},
    }),
  },
  {
    name: 'a chain of 1,300 references for 100,000 items',
    create: () => ({
      schema: {
        ...rowsOf({ $ref: '#/$defs/p0' }),
        $defs: { ...named(1_300, (index) => ({ $ref: `#/$defs/p${index + 1}` })), p1300: {} },
      },
      value: { rows: texts(100_000) },
    }),
  },
  {
    name: '900 references to a definition of 400 properties',
    create: () => ({
      schema: {
        properties: { rows: { items: { allOf: repeat(900, () => ({ $ref: '#/$defs/leaf' })) } } },
        $defs: { leaf: { properties: named(400, () => ({ type: 'string' })) } },
      },
      value: { rows: repeat(200, () => named(400, () => 'x')) },
    }),
  },
  {
    name: '$dynamicRef below 1,000 resources',
    create: () => ({
      schema: {
        $id: 'https://example.com/root',
        $dynamicAnchor: 'node',
        properties: { rows: { items: { allOf: repeat(1_000, (index) => ({ $ref: `r${index}` })) } } },
        $defs: named(1_000, (index) => ({ $id: `r${index}`, $ref: 'leaf' })),
        definitions: { leaf: { $id: 'leaf', $defs: { x: { $dynamicAnchor: 'node' } }, $dynamicRef: '#node' } },
      },
      value: { rows: texts(50_000) },
    }),
  },
  {
    name: 'not below not, 60 times, for 200,000 items',
    create: () => ({ schema: rowsOf(nested(58, {}, (not) => ({ not }))), value: { rows: texts(200_000) } }),
  },
  {
    name: '600 conditions for 20,000 objects',
    create: () => ({
      schema: rowsOf({
        allOf: repeat(600, (index) => ({ if: { required: [`p${index}`] }, then: { required: ['x'] }, else: {} })),
      }),
      value: { rows: repeat(20_000, () => ({ a: 1 })) },
    }),
  },
  {
    name: 'a recursive alternative for a tree of 100,000 nodes',
    create: () => ({
      schema: {
        anyOf: [
          { properties: { next: { type: 'array', items: { $ref: '#' } }, no: false }, required: ['no'] },
          { properties: { next: { type: 'array', items: { $ref: '#' } } } },
        ],
      },
      value: { next: repeat(300, () => ({ next: repeat(300, () => ({ next: [] })) })) },
    }),
  },
  {
    name: 'alternatives that repeat at each of 50 levels of the value',
    create: () => {
      const branch = { properties: { next: { $ref: '#' } } };
      const value = nested(50, { last: true }, (next) => ({ next }));
      return {
        schema: {
          anyOf: [
            { ...branch, required: ['no'] },
            { ...branch, minProperties: 9 },
          ],
        },
        value,
      } as never;
    },
  },
];
