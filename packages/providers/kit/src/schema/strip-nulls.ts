import type { JsonObject, JsonValue } from '@ravi/kernel';
import { acceptsNull } from './nullable.ts';
import { isSchemaObject, resolveRef } from './subschemas.ts';
import type { SchemaObject } from './subschemas.ts';

/**
 * Takes out what strict mode put in: a property that is null, optional in the tool's own schema, and may not be null there.
 * @param schema the portable schema before {@link strictSchema} rewrote it
 */
export function stripNulls(args: JsonObject, schema: SchemaObject): JsonObject {
  return stripped(args, schema, schema, 0) as JsonObject;
}

function stripped(value: JsonValue, schema: unknown, root: SchemaObject, depth: number): JsonValue {
  const shape = shapeFor(value, schema, root);
  if (shape === undefined || typeof value !== 'object' || value === null || depth > 256) return value;
  if (Array.isArray(value)) return value.map((entry: JsonValue) => stripped(entry, shape['items'], root, depth + 1));
  const properties = isSchemaObject(shape['properties']) ? shape['properties'] : {};
  const required = Array.isArray(shape['required']) ? (shape['required'] as readonly unknown[]) : [];
  const entries = Object.entries(value as JsonObject).flatMap(([name, entry]): [string, JsonValue][] => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (entry === null && inner !== undefined && !required.includes(name) && !takesNull(inner, root)) return [];
    return [[name, stripped(entry, inner, root, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function takesNull(schema: unknown, root: SchemaObject): boolean {
  const target = followed(schema, root);
  if (isSchemaObject(target) && Array.isArray(target['anyOf']))
    return target['anyOf'].some((part) => takesNull(part, root));
  return acceptsNull(target);
}

function followed(schema: unknown, root: SchemaObject): unknown {
  let target = schema;
  for (let steps = 0; steps < 64 && isSchemaObject(target) && typeof target['$ref'] === 'string'; steps++) {
    target = resolveRef(root, target['$ref']);
  }
  return target;
}

/** The schema that speaks of this value: among alternatives the object with exactly its properties, or the one array. */
function shapeFor(value: JsonValue, schema: unknown, root: SchemaObject): SchemaObject | undefined {
  const target = followed(schema, root);
  if (!isSchemaObject(target)) return undefined;
  if (!Array.isArray(target['anyOf'])) return target;
  const wanted = Array.isArray(value) ? 'array' : 'object';
  const candidates = target['anyOf']
    .map((part) => shapeFor(value, part, root))
    .filter((part) => part !== undefined && [part['type']].flat().includes(wanted));
  if (wanted === 'array' || typeof value !== 'object' || value === null) return candidates[0];
  const names = Object.keys(value).toSorted().join('\n');
  return candidates.find(
    (part) =>
      Object.keys((part?.['properties'] as object | undefined) ?? {})
        .toSorted()
        .join('\n') === names,
  );
}
