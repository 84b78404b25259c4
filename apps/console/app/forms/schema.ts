import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';

/** Kind of input for a value. `json` is for values without a form of their own. */
export type FieldKind = 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'choice' | 'object' | 'json';

/** A field of a form, from its schema or its current value. */
export interface FieldDefinition {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description?: string;
  readonly choices: readonly JsonValue[];
  readonly fields: readonly FieldDefinition[];
}

const longTextLength = 80;

/** Returns the fields of an object: first those of its schema, then further ones of the value. */
export function fieldsOf(schema: JsonSchema | undefined, value: JsonObject = {}): readonly FieldDefinition[] {
  const properties = objectOf(schema?.['properties']);
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  return names.map((name) =>
    fieldOf(name, objectOf(properties[name]), { value: value[name], isRequired: required.includes(name) }),
  );
}

/** Returns the value of a new form: the defaults of the schema. */
export function initialValue(schema: JsonSchema | undefined): JsonObject {
  const properties = Object.entries(objectOf(schema?.['properties']));
  const defaults = properties.map(([name, property]) => [name, objectOf(property)['default']]);
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined)) as JsonObject;
}

function fieldOf(
  name: string,
  schema: JsonSchema,
  { value, isRequired }: { readonly value: JsonValue | undefined; readonly isRequired: boolean },
): FieldDefinition {
  const { description } = schema;
  const choices = Array.isArray(schema['enum']) ? (schema['enum'] as JsonValue[]) : [];
  const kind = choices.length > 0 ? 'choice' : kindOf(schema, value);
  return {
    name,
    kind,
    isRequired,
    choices,
    fields: kind === 'object' ? fieldsOf(schema, objectOf(value) as JsonObject) : [],
    ...(typeof description === 'string' ? { description } : {}),
  };
}

function kindOf(schema: JsonSchema, value: JsonValue | undefined): FieldKind {
  const type = schema['type'] ?? typeOf(value);
  if (type === 'string') return isLong(schema, value) ? 'long-text' : 'text';
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  const hasFields = schema['properties'] !== undefined || Object.keys(objectOf(value)).length > 0;
  return type === 'object' && hasFields ? 'object' : 'json';
}

function isLong(schema: JsonSchema, value: JsonValue | undefined): boolean {
  if (typeof value === 'string' && (value.length > longTextLength || value.includes('\n'))) return true;
  return typeof schema['maxLength'] === 'number' && schema['maxLength'] > 500;
}

function typeOf(value: JsonValue | undefined): string {
  if (Array.isArray(value) || value === null) return 'json';
  return typeof value;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
