import { isJsonObject } from '../wire.ts';

/**
 * Returns the schema that also accepts null.
 * @param mixedTypes true if one `type` may list null together with object or array
 */
export function nullable(schema: unknown, { mixedTypes = true }: { readonly mixedTypes?: boolean } = {}): unknown {
  if (!isJsonObject(schema)) return schema;
  const { type, description } = schema;
  const isMixed = [type].flat().some((one) => one === 'object' || one === 'array');
  const isPlain = (mixedTypes || !isMixed) && !['enum', 'const', 'anyOf', 'oneOf', '$ref'].some((key) => key in schema);
  if (isPlain && typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (isPlain && Array.isArray(type)) return { ...schema, type: [...(type as unknown[]), 'null'] };
  const { description: _description, ...rest } = schema;
  if (Array.isArray(schema['anyOf']) && Object.keys(rest).length === 1) {
    return { ...schema, anyOf: [...(schema['anyOf'] as unknown[]), { type: 'null' }] };
  }
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] };
}

/** Returns true if a schema itself accepts null; references are not followed. */
export function acceptsNull(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === true;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false;
  if (schema['type'] !== undefined) return [schema['type']].flat().includes('null');
  if (Array.isArray(schema['enum'])) return true;
  return Array.isArray(schema['anyOf']) && schema['anyOf'].some(acceptsNull);
}
