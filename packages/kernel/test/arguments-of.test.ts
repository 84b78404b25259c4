import assert from 'node:assert/strict';
import { test } from 'vitest';
import { defineTool } from '../src/index.ts';
import type { ArgumentsOf, JsonObject, JsonSchema, JsonValue } from '../src/index.ts';

type Equal<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2 ? true : false;

/** Compiles only if the two types are the same. */
function same<Left, Right>(_equal: Equal<Left, Right>): void {}

/** Keeps a schema as the literal that it is written as. */
const literal = <const Schema extends JsonSchema>(schema: Schema): Schema => schema;

test('types, required properties and lists are inferred from a literal JSON Schema', () => {
  const schema = literal({
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      isUrgent: { type: 'boolean' },
      note: { type: ['string', 'null'] },
      tags: { type: 'array', items: { type: 'string' } },
      anything: {},
    },
    required: ['id', 'tags'],
    additionalProperties: false,
  });
  same<
    ArgumentsOf<typeof schema>,
    {
      readonly id: number;
      readonly tags: readonly string[];
      readonly name?: string;
      readonly isUrgent?: boolean;
      readonly note?: string | null;
      readonly anything?: JsonValue;
    }
  >(true);
});

test('enums, constants, alternatives and nested objects are inferred', () => {
  const schema = literal({
    properties: {
      size: { enum: ['small', 'large'] },
      kind: { const: 'order' },
      key: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      counts: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['size', 'kind', 'key', 'place', 'counts'],
  });
  same<
    ArgumentsOf<typeof schema>,
    {
      readonly size: 'small' | 'large';
      readonly kind: 'order';
      readonly key: string | number;
      readonly place: { readonly city: string };
      readonly counts: { readonly [key: string]: number };
    }
  >(true);
});

test('a schema that is known only at run time, or has no properties, gives any JSON object', () => {
  same<ArgumentsOf<JsonSchema>, JsonObject>(true);
  same<ArgumentsOf<{ type: 'object' }>, JsonObject>(true);
  const widened = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  same<ArgumentsOf<typeof widened>, { readonly id?: JsonValue }>(true);
});

test('execute, classifyRisk and concurrency.keys get the same arguments', () => {
  const tool = defineTool({
    name: 'refund',
    description: 'Refunds.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' }, reason: { enum: ['broken', 'late'] } },
      required: ['id'],
    },
    classifyRisk: ({ id, reason }) => ({ risk: id > 9 && reason === 'late' ? 'critical' : 'high' }),
    concurrency: { keys: ({ id }) => [id.toFixed(0)] },
    execute: ({ id, reason = 'broken' }) => `${id.toFixed(1)} ${reason.toUpperCase()}`,
  });
  assert.deepEqual(tool.classifyRisk?.({ id: 10, reason: 'late' }), { risk: 'critical' });
  // @ts-expect-error: the schema has no property "cents"
  defineTool({ ...tool, inputSchema: { properties: { id: {} } }, execute: ({ cents }) => String(cents) });
});
