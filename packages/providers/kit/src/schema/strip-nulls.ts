import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { acceptsNull } from './nullable.ts';
import { isJsonObject } from '../wire.ts';
import { followRefs } from './subschemas.ts';
import type { SchemaObject } from './subschemas.ts';

/**
 * Removes the nulls that strict mode introduced: properties that are null, optional in the tool's own schema, and not
 * nullable there.
 * @param schema the portable schema before {@link strictSchema} rewrote it
 */
export function stripNulls(args: JsonObject, schema: SchemaObject): JsonObject {
  return stripped(args, schema, schema, 0) as JsonObject;
}

function stripped(value: JsonValue, schema: unknown, root: SchemaObject, depth: number): JsonValue {
  const shape = shapeFor(value, schema, root);
  if (shape === undefined || typeof value !== 'object' || value === null || depth > 256) return value;
  if (Array.isArray(value)) return value.map((entry: JsonValue) => stripped(entry, shape['items'], root, depth + 1));
  const properties = isJsonObject(shape['properties']) ? shape['properties'] : {};
  const required = Array.isArray(shape['required']) ? (shape['required'] as readonly unknown[]) : [];
  const entries = Object.entries(value as JsonObject).flatMap(([name, entry]): [string, JsonValue][] => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (entry === null && inner !== undefined && !required.includes(name) && !takesNull(inner, root)) return [];
    return [[name, stripped(entry, inner, root, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function takesNull(schema: unknown, root: SchemaObject): boolean {
  return alternatives(schema, root).some(acceptsNull);
}

/** Returns the schema itself, or all schemas that its `anyOf` leads to, each once. */
function alternatives(schema: unknown, root: SchemaObject, found: Set<unknown> = new Set()): unknown[] {
  const target = followRefs(schema, root);
  if (found.has(target)) return [];
  found.add(target);
  if (!isJsonObject(target) || !Array.isArray(target['anyOf'])) return [target];
  return target['anyOf'].flatMap((part) => alternatives(part, root, found));
}

/**
 * Returns the schema that describes this value: of several alternatives, the array, or the object with exactly its
 * properties whose listed values match.
 */
function shapeFor(value: JsonValue, schema: unknown, root: SchemaObject): SchemaObject | undefined {
  const target = followRefs(schema, root);
  if (!isJsonObject(target)) return undefined;
  if (!Array.isArray(target['anyOf'])) return target;
  const wanted = Array.isArray(value) ? 'array' : 'object';
  const candidates = alternatives(target, root).filter(
    (part): part is SchemaObject => isJsonObject(part) && [part['type']].flat().includes(wanted),
  );
  if (wanted === 'array' || typeof value !== 'object' || value === null) return candidates[0];
  const names = namesOf(value as JsonObject);
  return candidates.find(
    ({ properties }) =>
      isJsonObject(properties) &&
      namesOf(properties) === names &&
      Object.entries(value).every(([name, entry]) => isAllowed(entry, properties[name], root)),
  );
}

/** Returns true if a property allows a value: it lists the value or lists none. Null may mean absence. */
function isAllowed(value: JsonValue, schema: unknown, root: SchemaObject): boolean {
  const target = followRefs(schema, root);
  if (value === null || !isJsonObject(target)) return true;
  const listed = 'const' in target ? [target['const']] : target['enum'];
  return !Array.isArray(listed) || listed.some((one) => isDeepStrictEqual(one, value));
}

function namesOf(object: SchemaObject): string {
  return Object.keys(object).toSorted().join('\n');
}
