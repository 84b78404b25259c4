import type { JsonSchema, JsonValue } from '@ravi/kernel';

/** The columns of {@link schemaRows}. */
export const schemaHead = ['key', 'type', 'default', 'meaning'] as const;

/** The keywords of JSON Schema that the schemas of this repository describe their values with. */
interface Keywords {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly default?: JsonValue;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The properties of an object schema, nested ones with their whole path, as rows of a table. */
export function schemaRows(schema: JsonSchema, prefix = ''): readonly (readonly string[])[] {
  const { properties = {}, required = [] } = schema as Keywords;
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const { items = {}, default: fallback } = property as Keywords;
    const inner = [...schemaRows(property, `${path}.`), ...schemaRows(items, `${path}[].`)];
    const isOnlyFolder = (property as Keywords).type === 'object' && inner.length > 0 && meaningOf(property) === '';
    if (isOnlyFolder) return inner;
    const value = fallback === undefined ? (required.includes(name) ? 'required' : '') : code(fallback);
    return [[`\`${path}\``, typeOf(property), value, meaningOf(property)], ...inner];
  });
}

/** Describes the values that a schema accepts, in a few words. */
export function typeOf(schema: JsonSchema): string {
  const { type = 'any', enum: values, const: only, items = {}, anyOf, oneOf, minimum, maximum } = schema as Keywords;
  if (values !== undefined) return values.map(code).join(', ');
  if (only !== undefined) return code(only);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (typeof type !== 'string') return type.join(' or ');
  return `${type}${bounds(minimum, maximum)}`;
}

/** Returns the description of a schema with its default; empty when it has neither. */
export function meaningOf(schema: JsonSchema): string {
  return (schema as Keywords).description ?? '';
}

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}–${maximum}`;
  if (minimum !== undefined) return ` ≥ ${minimum}`;
  return maximum === undefined ? '' : ` ≤ ${maximum}`;
}

function code(value: JsonValue): string {
  return `\`${JSON.stringify(value)}\``;
}
