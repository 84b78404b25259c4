import { named, nested, repeat, rowsOf } from './hostile-pair.ts';
import type { HostilePair } from './hostile-pair.ts';

/** Pairs whose keywords visit the properties of objects, or whose schemas are slow to compile. */
export const objectPairs: readonly HostilePair[] = [
  {
    name: '200 patternProperties for 2,000 keys',
    create: () => ({
      schema: { patternProperties: Object.fromEntries(repeat(200, (index) => [`^k.*${index}$`, { type: 'string' }])) },
      value: Object.fromEntries(repeat(2_000, (index) => [`k${'x'.repeat(100)}${index}`, 'v'])),
    }),
  },
  {
    name: 'propertyNames with a pattern for 100,000 keys',
    create: () => ({
      schema: { propertyNames: { pattern: '^(?:[a-z]?){50}[0-9]+$' } },
      value: named(100_000, () => 1),
    }),
  },
  {
    name: '1,000 times propertyNames for 50,000 keys',
    create: () => ({
      schema: { allOf: repeat(1_000, () => ({ propertyNames: { maxLength: 20 } })) },
      value: named(50_000, () => 1),
    }),
  },
  {
    name: '1,000 times additionalProperties for 100,000 keys',
    create: () => ({
      schema: { allOf: repeat(1_000, () => ({ additionalProperties: { type: 'integer' } })) },
      value: named(100_000, () => 1),
    }),
  },
  {
    name: '1,900 times minProperties for 100,000 keys',
    create: () => ({
      schema: { allOf: repeat(1_900, () => ({ minProperties: 2 })) },
      value: named(100_000, () => 1),
    }),
  },
  {
    name: 'required of 25,000 names for 2,000 objects',
    create: () => ({
      schema: rowsOf({ not: { required: repeat(25_000, (index) => `k${index}`).toReversed() } }),
      value: { rows: repeat(50, () => named(2_000, () => 1)) },
    }),
  },
  {
    name: 'required of 1,000 names for 200 objects that have them',
    create: () => ({
      schema: rowsOf({ allOf: repeat(25, () => ({ required: repeat(1_000, (index) => `p${index}`) })) }),
      value: { rows: repeat(190, () => named(1_000, () => 1)) },
    }),
  },
  {
    name: 'dependentRequired of 150 names for each of 150 properties',
    create: () => ({
      schema: rowsOf({ dependentRequired: named(150, () => repeat(150, (index) => `p${index}`)) }),
      value: { rows: repeat(1_000, () => named(150, () => 1)) },
    }),
  },
  {
    name: '1,900 dependentSchemas for 100 objects',
    create: () => ({
      schema: rowsOf({ dependentSchemas: named(1_900, () => ({ minProperties: 1 })) }),
      value: { rows: repeat(100, () => named(1_900, () => 1)) },
    }),
  },
  {
    name: 'dependencies of draft-07 for 1,000 objects',
    create: () => ({
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        ...rowsOf({ dependencies: named(150, () => repeat(150, (index) => `p${index}`)) }),
      },
      value: { rows: repeat(1_000, () => named(150, () => 1)) },
    }),
  },
  {
    name: 'unevaluatedProperties below 1,000 alternatives',
    create: () => ({
      schema: {
        anyOf: repeat(1_000, (index) => ({ properties: { [`p${index}`]: true }, patternProperties: { '^p': true } })),
        unevaluatedProperties: false,
      },
      value: named(20_000, () => 1),
    }),
  },
  {
    name: 'unevaluatedProperties at 60 levels of allOf',
    create: () => ({
      schema: nested(30, { additionalProperties: true }, (schema) => ({
        allOf: [schema, { patternProperties: { p: true } }],
        unevaluatedProperties: false,
      })),
      value: named(100_000, () => 1),
    }),
  },
  {
    name: '2,000 properties of 90 objects',
    create: () => ({
      schema: rowsOf({ properties: named(2_000, () => ({ type: 'integer' })), additionalProperties: false }),
      value: { rows: repeat(90, () => named(2_000, () => 1)) },
    }),
  },
  {
    name: 'a schema nested 64 times for a value nested 120 times',
    create: () => ({
      schema: nested(30, {}, (additionalProperties) => ({ additionalProperties, type: 'object' })),
      value: nested(120, { last: 1 }, (next) => ({ next })) as never,
    }),
  },
  {
    name: 'wrong values below a key of 100,000 characters',
    create: () => ({
      schema: {
        additionalProperties: { items: { type: 'string', minLength: 3, anyOf: [{ const: 1.5 }, { const: 2.5 }] } },
      },
      value: { ['k~/'.repeat(33_000)]: repeat(150_000, (index) => index) },
    }),
  },
];
