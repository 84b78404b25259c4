import { isJsonObject } from '../wire.ts';
import type { WireObject } from '../wire.ts';

/** A JSON Schema that is not a boolean. */
export type SchemaObject = WireObject;

const inMaps = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];
const inLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const single = [
  'items',
  'additionalProperties',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
];

/** Returns a copy in which `change` is applied to each direct subschema. Values such as `default` are not schemas. */
export function mapSubschemas(schema: SchemaObject, change: (inner: unknown) => unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...schema };
  for (const key of inMaps) {
    const map = copy[key];
    if (!isJsonObject(map)) continue;
    copy[key] = Object.fromEntries(Object.entries(map).map(([name, inner]) => [name, change(inner)]));
  }
  for (const key of inLists) if (Array.isArray(copy[key])) copy[key] = (copy[key] as unknown[]).map(change);
  for (const key of single) {
    if (isJsonObject(copy[key])) copy[key] = change(copy[key]);
    else if (key === 'items' && Array.isArray(copy[key])) copy[key] = (copy[key] as unknown[]).map(change);
  }
  return copy;
}

/** Returns the target of a local reference (`#`, `#/$defs/name`); `undefined` for any other reference. */
export function resolveRef(root: SchemaObject, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  let place: unknown = root;
  for (const key of refPath(ref)) {
    if (Array.isArray(place)) place = place[Number(key)];
    else if (isJsonObject(place) && Object.hasOwn(place, key)) place = place[key];
    else return undefined;
  }
  return place;
}

/** Returns the keys from the root to the target of a local reference. */
export function refPath(ref: string): readonly string[] {
  return ref
    .split('/')
    .slice(1)
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Follows the references of a schema to their end; `undefined` if they are circular. */
export function followRefs(schema: unknown, root: SchemaObject): unknown {
  const seen = new Set<unknown>();
  let target = schema;
  while (isJsonObject(target) && typeof target['$ref'] === 'string') {
    if (seen.has(target)) return undefined;
    seen.add(target);
    target = resolveRef(root, target['$ref']);
  }
  return target;
}

/** Decodes a part of a reference. Many references contain unescaped names, such as `#/$defs/100%`. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns true if a schema contains itself through local references. */
export function hasRecursion(root: SchemaObject): boolean {
  if (!JSON.stringify(root).includes('"$ref"')) return false;
  const open = new Set<SchemaObject>();
  const closed = new Set<SchemaObject>();
  const leadsBack = (schema: unknown): boolean => {
    if (!isJsonObject(schema) || closed.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const { $ref } = schema;
    let isBack = typeof $ref === 'string' && leadsBack(resolveRef(root, $ref));
    mapSubschemas(schema, (inner) => (isBack ||= leadsBack(inner)));
    open.delete(schema);
    closed.add(schema);
    return isBack;
  };
  return leadsBack(root);
}
