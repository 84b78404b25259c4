import type { JsonSchema } from '@ravi/kernel';
import { invalidKeywords } from './keyword-values.ts';
import { withKeptTargets } from './kept-targets.ts';
import { isJsonObject } from '../wire.ts';
import { followRefs, mapSubschemas, resolveRef } from './subschemas.ts';
import type { SchemaObject } from './subschemas.ts';

/** Schema that any provider's parser accepts, or the reason why there is none. */
export type PortableSchema =
  | {
      readonly schema: SchemaObject;
      /** Descriptions of relevant changes; empty if there are none. */
      readonly changes: readonly string[];
    }
  | { readonly refused: string };

/** No real arguments are nested more deeply. */
const maxDepth = 64;
/** Maximum parts of a root after following references and alternatives, which may repeat. */
const maxRootParts = 1000;
const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/**
 * Converts the schema of a tool's arguments to one that every provider's parser accepts: an object at the root with
 * `properties`, `items` for each array, tuples and keyword values as in JSON Schema 2020-12, and no `$schema`. The
 * result may allow more than the original but never less, except for alternatives at the root. The tool's own schema
 * validates the arguments.
 */
export function portableSchema(schema: unknown): PortableSchema {
  const changes: string[] = [];
  try {
    if (schema === true) return { schema: emptyObject, changes };
    if (!isJsonObject(schema)) return { refused: noSchema };
    const clean = cleaned(schema, changes, 0) as SchemaObject;
    const root = objectRoot(clean, { root: clean, changes, parts: 0 });
    if (root === undefined) return { refused: `its arguments are ${JSON.stringify(schema['type'])}, not an object` };
    return { schema: withKeptTargets({ ...definitionsOf(clean), ...root }, clean), changes };
  } catch (error) {
    return refusalOf(error);
  }
}

/** Converts the schema of any value to one that every provider's parser accepts. Its root is not a reference. */
export function portableValueSchema(schema: unknown): PortableSchema {
  const changes: string[] = [];
  try {
    if (!isJsonObject(schema)) return { refused: noSchema };
    const clean = cleaned(schema, changes, 0) as SchemaObject;
    const root = followRefs(clean, clean);
    if (!isJsonObject(root)) return { refused: 'the reference at its root cannot be resolved' };
    return { schema: withKeptTargets({ ...definitionsOf(clean), ...root }, clean), changes };
  } catch (error) {
    return refusalOf(error);
  }
}

const noSchema = 'its schema is not an object';

function refusalOf(error: unknown): { readonly refused: string } {
  if (!(error instanceof RangeError)) throw error;
  return { refused: error.message };
}

function definitionsOf(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(['$defs', 'definitions'].flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
}

const emptyObject: SchemaObject = Object.freeze({ type: 'object', properties: {} });

function cleaned(schema: unknown, changes: string[], depth: number): JsonSchema | boolean {
  if (depth > maxDepth) throw new RangeError(`its schema is deeper than ${maxDepth} levels`);
  if (typeof schema === 'boolean') return schema;
  if (!isJsonObject(schema)) return true;
  const { $schema: _dialect, ...rest } = mapSubschemas(schema, (inner) => cleaned(inner, changes, depth + 1));
  const clean: Record<string, unknown> = withTuples(rest);
  const types = [...new Set([clean['type'] ?? []].flat())];
  const known = types.filter((type) => typeof type === 'string' && typeNames.has(type));
  if (known.length < types.length) changes.push(`type ${JSON.stringify(clean['type'])} does not exist`);
  if (known.length === 0) delete clean['type'];
  else clean['type'] = known.length === 1 ? known[0] : known;
  const { required } = clean;
  // Older drafts use a flag on a property. Repeated names in a list are removed.
  if (!isStringList(required) || required.length === 0) delete clean['required'];
  else clean['required'] = [...new Set(required)];
  if (Array.isArray(clean['enum']) && clean['enum'].length === 0) delete clean['enum'];
  for (const [keyword, isLoss] of invalidKeywords(clean)) {
    if (isLoss) changes.push(`"${keyword}" cannot be ${JSON.stringify(clean[keyword])}`);
    delete clean[keyword];
  }
  if ((known.includes('array') || 'prefixItems' in clean) && !('items' in clean)) clean['items'] = {};
  return clean;
}

/** Converts tuples: before 2020-12, `items` listed their positions and `additionalItems` the rest. */
function withTuples({ additionalItems, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const { items } = schema;
  if (!Array.isArray(items)) return schema;
  return { ...schema, prefixItems: items, items: additionalItems ?? {} };
}

interface RootState {
  readonly root: SchemaObject;
  readonly changes: string[];
  parts: number;
}

/** Returns the root as one object schema; `undefined` if it does not describe an object. */
function objectRoot(schema: SchemaObject, state: RootState, depth: number = 0): SchemaObject | undefined {
  const { root, changes } = state;
  if (depth > maxDepth) throw new RangeError('its root refers to itself');
  if (++state.parts > maxRootParts) throw new RangeError(`its root has more than ${maxRootParts} parts`);
  const {
    $ref,
    allOf,
    anyOf,
    oneOf,
    not: _not,
    enum: _enum,
    const: _const,
    if: _if,
    then: _then,
    else: _else,
    ...own
  } = schema;
  if (own['type'] !== undefined && ![own['type']].flat().includes('object')) return undefined;
  let merged: SchemaObject = {
    ...own,
    type: 'object',
    properties: isJsonObject(own['properties']) ? own['properties'] : {},
  };
  const parts: unknown[] = Array.isArray(allOf) ? [...allOf] : [];
  if (typeof $ref === 'string') parts.push(resolveRef(root, $ref));
  for (const part of parts) {
    const inner = isJsonObject(part) ? objectRoot(part, state, depth + 1) : emptyObject;
    if (inner === undefined) return undefined;
    merged = both(merged, inner);
  }
  for (const alternatives of [anyOf, oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    changes.push('alternatives at the root became optional properties');
    const objects = (alternatives as unknown[])
      .filter(isJsonObject)
      .map((part) => objectRoot(part, state, depth + 1))
      .filter((part) => part !== undefined);
    merged = both(merged, anyOfObjects(objects));
  }
  if ([_not, _enum, _const, _if].some((part) => part !== undefined))
    changes.push('conditions at the root are left out');
  return merged;
}

function both(left: SchemaObject, right: SchemaObject): SchemaObject {
  const required = [...new Set([...requiredOf(left), ...requiredOf(right)])];
  return {
    ...right,
    ...left,
    properties: { ...propertiesOf(right), ...propertiesOf(left) },
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Merges objects into one with all properties; a property is required if every object requires it. */
function anyOfObjects(objects: readonly SchemaObject[]): SchemaObject {
  const properties = new Map<string, unknown>();
  for (const object of objects) {
    for (const [name, schema] of Object.entries(propertiesOf(object))) {
      const known = properties.get(name);
      const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
      properties.set(name, isSame ? schema : { anyOf: [...alternativesOf(known), schema] });
    }
  }
  const required = requiredOf(objects[0] ?? {}).filter((name) =>
    objects.every((object) => requiredOf(object).includes(name)),
  );
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) };
}

function alternativesOf(schema: unknown): readonly unknown[] {
  if (!isJsonObject(schema) || Object.keys(schema).length !== 1 || !Array.isArray(schema['anyOf'])) return [schema];
  return schema['anyOf'];
}

function propertiesOf(schema: SchemaObject): Readonly<Record<string, unknown>> {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

function requiredOf(schema: SchemaObject): readonly string[] {
  return isStringList(schema['required']) ? schema['required'] : [];
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
