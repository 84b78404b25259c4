import { isSchemaObject, mapSubschemas } from './subschemas.ts';
import type { SchemaObject } from './subschemas.ts';

/** Whether a definition can be reached from itself. */
export function hasRecursion(schema: SchemaObject): boolean {
  const text = JSON.stringify(schema);
  if (!text.includes('"$ref"')) return false;
  const references = new Map<string, ReadonlySet<string>>();
  for (const key of ['$defs', 'definitions']) {
    const definitions = schema[key];
    if (!isSchemaObject(definitions)) continue;
    for (const [name, inner] of Object.entries(definitions)) references.set(`#/${key}/${name}`, refsIn(inner));
  }
  if (refsIn(schema).has('#')) return true;
  const reaches = (from: string, target: string, seen: Set<string>): boolean => {
    for (const next of references.get(from) ?? []) {
      if (next === target) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      if (reaches(next, target, seen)) return true;
    }
    return false;
  };
  return [...references.keys()].some((name) => reaches(name, name, new Set()));
}

function refsIn(schema: unknown, found: Set<string> = new Set()): Set<string> {
  if (!isSchemaObject(schema)) return found;
  if (typeof schema['$ref'] === 'string') found.add(schema['$ref']);
  mapSubschemas(schema, (inner) => refsIn(inner, found));
  return found;
}
