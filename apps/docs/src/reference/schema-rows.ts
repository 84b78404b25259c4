import type { JsonSchema } from '@ravi/kernel';

/** The columns of {@link schemaRows}. */
export const schemaHead = ['key', 'type', 'default', 'meaning'] as const;

/** The properties of an object schema, nested ones with their whole path, as rows of a table. */
export function schemaRows(schema: JsonSchema, prefix = ''): readonly (readonly string[])[] {
  const required = new Set(listOf(schema['required']));
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const items = objectOf(property['items']);
    const inner = [...schemaRows(property, `${path}.`), ...schemaRows(items, `${path}[].`)];
    const type = typeOf(property);
    const isFolder = type === 'object' && inner.length > 0 && property['description'] === undefined;
    if (isFolder) return inner;
    const fallback = property['default'];
    const value = fallback === undefined ? (required.has(name) ? 'required' : '') : `\`${JSON.stringify(fallback)}\``;
    return [[`\`${path}\``, type, value, String(property['description'] ?? '')], ...inner];
  });
}

/** What a value may be, in a few words. */
export function typeOf(schema: JsonSchema): string {
  const { enum: values, const: only, type, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map((choice) => typeOf(objectOf(choice))))].join(' or ');
  if (type === 'array') return `list of ${typeOf(objectOf(schema['items']))}`;
  if (type === 'integer' || type === 'number') return [type, bounds(schema)].filter(Boolean).join(' ');
  return Array.isArray(type) ? type.join(' or ') : String(type ?? 'any');
}

function bounds({ minimum, maximum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `${String(minimum)}–${String(maximum)}`;
  if (minimum !== undefined) return `≥ ${String(minimum)}`;
  return maximum === undefined ? '' : `≤ ${String(maximum)}`;
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(objectOf(schema['properties'])).map(([name, property]) => [name, objectOf(property)]),
  );
}

function objectOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
