import type { JsonObject, JsonSchema } from '@ravi/kernel';

/** Schema and value that together would take a validator seconds or minutes. Either may be harmless alone. */
export interface HostilePair {
  readonly name: string;
  /** Creates the pair; its value has up to 200,000 parts and fits into 4 MB of JSON. */
  readonly create: () => { readonly schema: JsonSchema; readonly value: JsonObject };
}

/** Creates a list of `count` values. */
export function repeat<Value>(count: number, create: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => create(index));
}

/** Creates an object with the properties `p0`, `p1`, …. */
export function named<Value>(count: number, create: (index: number) => Value): Record<string, Value> {
  return Object.fromEntries(repeat(count, (index) => [`p${index}`, create(index)]));
}

/** Creates the schema of an object whose property `rows` is a list of such items. */
export function rowsOf(items: JsonSchema): JsonSchema {
  return { type: 'object', properties: { rows: { type: 'array', items } } };
}

/** Wraps a schema `depth` times. */
export function nested(depth: number, inner: JsonSchema, wrap: (schema: JsonSchema) => JsonSchema): JsonSchema {
  let schema = inner;
  for (let level = 0; level < depth; level++) schema = wrap(schema);
  return schema;
}
