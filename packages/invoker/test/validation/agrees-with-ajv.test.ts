import assert from 'node:assert/strict';
import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { createSeededRandom } from '@ravi/testkit';
import type { SeededRandom } from '@ravi/testkit';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'vitest';
import { SchemaCache } from '../../src/validation/schema-cache.ts';

const schemaCount = 250;
const valuesPerSchema = 40;
const maxDepth = 3;
// Without the empty name, which ajv's `required` does not see, and numbers from 1e21, which its `multipleOf` misreads.
const names = ['a', 'b', 'ab', 'x-1', 'ü'];
const words = ['', 'a', 'ab', 'aab', 'x-1', 'ü𝒳', '2026'];
const patterns = ['^a', 'b$', '^[a-z]+$', 'x-\\d', 'ü'];
const numbers = [0, -0, 1, 2, 3, 1.5, -4, 0.01];
const draft07 = 'http://json-schema.org/draft-07/schema#';

type Make = (random: SeededRandom, depth: number) => unknown;

const anyValue: Make = (random, depth) => {
  switch (random.below(depth <= 0 ? 4 : 6)) {
    case 0:
      return random.pick(numbers);
    case 1:
      return random.pick(words);
    case 2:
      return random.pick([true, false]);
    case 3:
      return null;
    case 4:
      return Array.from({ length: random.below(4) }, () => anyValue(random, depth - 1));
    default:
      return objectOf(random, () => anyValue(random, depth - 1));
  }
};

function objectOf(random: SeededRandom, make: () => unknown): JsonObject {
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(names), make()])) as JsonObject;
}

const listOf =
  (make: Make): Make =>
  (random, depth) =>
    Array.from({ length: 1 + random.below(3) }, () => make(random, depth));
const mapOf =
  (make: Make, keys = names): Make =>
  (random, depth) =>
    Object.fromEntries(Array.from({ length: 1 + random.below(2) }, () => [random.pick(keys), make(random, depth)]));
const small: Make = (random) => random.below(4);
const someNames: Make = (random) => [...new Set(listOf(() => random.pick(names))(random, 0) as string[])];
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

const common: Readonly<Record<string, Make>> = {
  type: (random) =>
    random.below(3) === 0 ? [...new Set([random.pick(types), random.pick(types)])] : random.pick(types),
  enum: (random) => [
    ...new Map([1, 2, 3].map(() => anyValue(random, 1)).map((each) => [JSON.stringify(each), each])).values(),
  ],
  const: anyValue,
  minimum: (random) => random.pick(numbers),
  exclusiveMaximum: (random) => random.pick(numbers),
  multipleOf: (random) => random.pick([1, 2, 0.5, 3]),
  minLength: small,
  maxLength: small,
  pattern: (random) => random.pick(patterns),
  minItems: small,
  maxItems: small,
  uniqueItems: () => true,
  minProperties: small,
  maxProperties: small,
  required: someNames,
  properties: mapOf(schemaAt),
  patternProperties: mapOf(schemaAt, patterns),
  additionalProperties: schemaAt,
  propertyNames: schemaAt,
  items: schemaAt,
  not: schemaAt,
  allOf: listOf(schemaAt),
  anyOf: listOf(schemaAt),
  oneOf: listOf(schemaAt),
  if: schemaAt,
  then: schemaAt,
  else: schemaAt,
  $ref: () => '#/definitions/shared',
};
const modern: Readonly<Record<string, Make>> = {
  ...common,
  prefixItems: listOf(schemaAt),
  dependentRequired: mapOf(someNames),
};
const former: Readonly<Record<string, Make>> = {
  ...common,
  items: (random, depth) => (random.below(2) === 0 ? schemaAt(random, depth) : listOf(schemaAt)(random, depth)),
  additionalItems: schemaAt,
  dependencies: mapOf((random, depth) => (random.below(2) === 0 ? someNames(random, depth) : schemaAt(random, depth))),
};
// A list or an object of which each part is such a value again.
const shared: JsonObject = {
  anyOf: [{ type: ['string', 'number'] }, { items: { $ref: '#/definitions/shared' } }],
  additionalProperties: { $ref: '#/definitions/shared' },
};
let keywords = modern;

function schemaAt(random: SeededRandom, depth: number): JsonSchema | boolean {
  if (depth <= 0) return random.pick<JsonSchema | boolean>([true, false, {}, { type: random.pick(types) }]);
  const schema: Record<string, unknown> = {};
  for (let left = 1 + random.below(4); left > 0; left--) {
    const keyword = random.pick(Object.keys(keywords));
    schema[keyword] = keywords[keyword]?.(random, depth - 1);
  }
  return schema;
}

for (const [dialect, Compiler] of [
  ['draft-07', Ajv],
  ['2020-12', Ajv2020],
] as const) {
  test(`random ${dialect} schemas accept and refuse the values that ajv accepts and refuses`, () => {
    keywords = dialect === 'draft-07' ? former : modern;
    const random = createSeededRandom(20_26);
    const differences: string[] = [];
    let accepted = 0;
    let refused = 0;
    for (let index = 0; index < schemaCount; index++) {
      const content = schemaAt(random, maxDepth) as JsonObject;
      const schema = {
        ...(dialect === 'draft-07' ? { $schema: draft07 } : {}),
        definitions: { shared },
        ...content,
      } as JsonSchema;
      const values = Array.from({ length: valuesPerSchema }, () => anyValue(random, 3));
      const expected = new Compiler({ strict: false, logger: false, ownProperties: true }).compile(schema);
      const validator = new SchemaCache().compile(schema);
      for (const value of values) {
        const isValid = expected(value);
        if (isValid) accepted++;
        else refused++;
        const found = [validator.validate(value), validator.validateAll(value)];
        if (found.every((problems) => (problems.length === 0) === isValid)) continue;
        differences.push(`${JSON.stringify(schema)} ${JSON.stringify(value)} is ${isValid ? 'valid' : 'invalid'}`);
      }
    }
    assert.deepEqual(differences.slice(0, 5), []);
    assert.ok(accepted > 1_000 && refused > 1_000, `${accepted} accepted, ${refused} refused`);
  });
}

// ajv differs for some of these: evaluated places, and `contains` of an empty list. The expectations follow from the specification (2020-12, section 11).
const evaluated: readonly (readonly [JsonSchema, JsonValue, boolean])[] = [
  [{ properties: { a: true }, unevaluatedProperties: false }, { a: 1 }, true],
  [{ properties: { a: true }, unevaluatedProperties: false }, { a: 1, b: 1 }, false],
  [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, true],
  [{ anyOf: [{ properties: { a: { type: 'string' } } }, {}], unevaluatedProperties: false }, { a: 1 }, false],
  [{ if: { required: ['a'] }, then: { properties: { a: true } }, unevaluatedProperties: false }, { a: 1 }, true],
  [{ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, { a: 1 }, false],
  [{ dependentSchemas: { a: { additionalProperties: true } }, unevaluatedProperties: false }, { a: 1, b: 1 }, true],
  [
    { $ref: '#/$defs/open', $defs: { open: { properties: { a: true } } }, unevaluatedProperties: false },
    { a: 1 },
    true,
  ],
  [{ additionalProperties: { unevaluatedItems: { type: 'null' }, oneOf: [{ items: {} }] } }, { a: [{}, true] }, true],
  [{ prefixItems: [true], unevaluatedItems: false }, [1], true],
  [{ prefixItems: [true], unevaluatedItems: false }, [1, 2], false],
  [{ contains: { type: 'string' }, unevaluatedItems: { type: 'number' } }, ['a', 1], true],
  [{ oneOf: [{ oneOf: [{ type: 'number' }], items: true }, {}], unevaluatedItems: false }, [true], false],
  [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, false],
  [{ dependentSchemas: { a: { required: ['b'] } } }, { b: 1 }, true],
  [{ contains: {} }, [], false],
  [{ prefixItems: [false], contains: {} }, [], false],
  [{ contains: { const: 1 } }, [2, 1], true],
  [{ contains: { const: 1 }, minContains: 2 }, [2, 1], false],
  [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], false],
  [{ contains: { const: 1 }, minContains: 0 }, [], true],
];

for (const [schema, value, isValid] of evaluated) {
  test(`${JSON.stringify(value)} is ${isValid ? 'valid' : 'invalid'} for ${JSON.stringify(schema)}`, () => {
    const validator = new SchemaCache().compile(schema);
    assert.equal(validator.validate(value).length === 0, isValid);
    assert.equal(validator.validateAll(value).length === 0, isValid);
  });
}
