import { isJsonObject, resolveRef } from '@ravi/provider-kit';
import type { PortableSchema, SchemaObject } from '@ravi/provider-kit';
import { geminiSchema } from './gemini-schema.ts';
import { description, withNotes } from './notes.ts';

/** The only formats that the older dialect accepts. */
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};
const numbers = ['minimum', 'maximum'];
/** 64-bit integers, which are sent as strings. */
const counts = ['minItems', 'maxItems'];
/** Limits on following a reference within itself: the first that keeps the schema within bounds is used. */
const followings = [4, 2, 1] as const;
const maxNodes = 2000;

/** Any value: this dialect has no type for all values. */
const anything: SchemaObject = Object.freeze({
  anyOf: ['STRING', 'NUMBER', 'BOOLEAN', 'OBJECT'].map((type) => ({ type })),
});

/**
 * Converts a portable schema to the OpenAPI 3.0 dialect of `parameters`: references are inlined, and `null` is a flag.
 * Source: the message `Schema` of Google's discovery document.
 */
export function openApiSchema(root: SchemaObject): PortableSchema {
  const { schema, changes } = geminiSchema(root);
  const state = conversion(schema, changes);
  const { converted } = state;
  const isEmpty = Object.keys((converted['properties'] as object | undefined) ?? {}).length === 0;
  const { properties: _none, ...bare } = converted;
  return { schema: isEmpty ? bare : converted, changes: [...state.lost] };
}

interface State {
  readonly root: SchemaObject;
  readonly lost: Set<string>;
  readonly maxReferences: number;
  nodes: number;
}

/**
 * Converts a schema. References that contain themselves several times grow exponentially, so they are followed less
 * often.
 */
function conversion(
  root: SchemaObject,
  changes: readonly string[],
): { readonly converted: SchemaObject; readonly lost: ReadonlySet<string> } {
  for (const maxReferences of followings) {
    const state: State = { root, lost: new Set(changes), maxReferences, nodes: 0 };
    const converted = node(root, state, []);
    if (state.nodes <= maxNodes) return { converted, lost: state.lost };
  }
  const state: State = { root, lost: new Set(changes), maxReferences: 0, nodes: -Infinity };
  return { converted: node(root, state, []), lost: state.lost };
}

function node(given: unknown, state: State, followed: readonly string[]): SchemaObject {
  if (!isJsonObject(given) || state.nodes > maxNodes) return anything;
  state.nodes++;
  const { root, lost, maxReferences } = state;
  const { $ref } = given;
  if (typeof $ref === 'string') {
    if (followed.filter((one) => one === $ref).length < maxReferences && followed.length < maxReferences * 4) {
      return node(resolveRef(root, $ref), state, [...followed, $ref]);
    }
    lost.add(maxReferences === 0 ? `"${$ref}" is not followed` : `"${$ref}" is followed ${maxReferences} times`);
    return { type: 'OBJECT' };
  }
  const below = (inner: unknown): SchemaObject => node(inner, state, followed);
  if (Array.isArray(given['anyOf'])) return alternatives(given, given['anyOf'] as readonly unknown[], below);
  const { type } = given;
  if (typeof type !== 'string') return withDescription(anything, given);
  const copy: Record<string, unknown> = { type: type.toUpperCase() };
  for (const key of ['title', 'description', 'default', 'pattern']) if (key in given) copy[key] = given[key];
  for (const key of numbers) if (key in given) copy[key] = given[key];
  for (const key of counts) if (key in given) copy[key] = String(given[key]);
  if (formats[type]?.includes(String(given['format'])) === true) copy['format'] = given['format'];
  if (type === 'string' && Array.isArray(given['enum'])) copy['enum'] = given['enum'];
  if (type === 'object') Object.assign(copy, objectParts(given, below));
  if (type === 'array') copy['items'] = itemsOf(given, below);
  const noted = [
    ...(type !== 'string' && 'enum' in given ? ['enum'] : []),
    ...('format' in given && !('format' in copy) ? ['format'] : []),
  ];
  return withNotes(copy, given, noted);
}

function objectParts(given: SchemaObject, below: (inner: unknown) => SchemaObject): Record<string, unknown> {
  const { properties, required } = given;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return {};
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, below(inner)])),
    ...(Array.isArray(required) ? { required } : {}),
  };
}

function itemsOf({ items, prefixItems }: SchemaObject, below: (inner: unknown) => SchemaObject): SchemaObject {
  if (!Array.isArray(prefixItems)) return below(items);
  const kinds = [...new Map(prefixItems.map(below).map((kind) => [JSON.stringify(kind), kind])).values()];
  const [only] = kinds;
  return only !== undefined && kinds.length === 1 ? only : { anyOf: kinds };
}

/** Converts alternatives. They must not have siblings, so siblings are copied into each of them. */
function alternatives(
  given: SchemaObject,
  choices: readonly unknown[],
  below: (inner: unknown) => SchemaObject,
): SchemaObject {
  const real = choices.filter((choice) => !isJsonObject(choice) || choice['type'] !== 'null');
  const nullable = real.length < choices.length ? { nullable: true } : {};
  const kinds = real.flatMap((choice) => {
    const kind = below(choice);
    return Array.isArray(kind['anyOf']) ? (kind['anyOf'] as readonly SchemaObject[]) : [kind];
  });
  const [only] = kinds;
  if (only === undefined) return { type: 'NULL' };
  const whole = kinds.map((kind) => ({ ...withDescription(kind, given), ...nullable }));
  return whole.length === 1 ? { ...whole[0] } : { anyOf: whole };
}

/** Prepends the description of the whole schema to that of each alternative. */
function withDescription(schema: SchemaObject, whole: SchemaObject): SchemaObject {
  const described = (one: SchemaObject): SchemaObject => ({
    ...one,
    ...description(whole['description'], one['description']),
  });
  if (!Array.isArray(schema['anyOf'])) return described(schema);
  return { anyOf: (schema['anyOf'] as readonly SchemaObject[]).map(described) };
}
