import { isJsonObject } from '@ravi/provider-kit';
import type { SchemaObject } from '@ravi/provider-kit';
import { description, withNotes } from './notes.ts';

/** Keywords that apply to each type. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'format', 'pattern'],
  number: ['enum', 'format', 'minimum', 'maximum'],
  integer: ['enum', 'format', 'minimum', 'maximum'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties', 'propertyOrdering'],
  boolean: [],
  null: [],
};
const typed = new Set(Object.values(keywordsOf).flat());

/**
 * Converts the type of a schema to the only form that Gemini documents: one name. Several types, `nullable` and values
 * of several types become alternatives; values that are neither strings nor numbers become part of the description.
 */
export function typedAlternatives(schema: SchemaObject, original: SchemaObject): SchemaObject {
  const values = valuesOf(original);
  const types = typesOf(original, values);
  const { enum: _enum, ...rest } = schema;
  if (Array.isArray(schema['anyOf'])) return original['nullable'] === true ? withNull(rest, schema['anyOf']) : rest;
  if (types.length === 0) return values === undefined ? rest : withNotes(rest, { values }, ['values']);
  const shared = Object.fromEntries(Object.entries(rest).filter(([key]) => !typed.has(key)));
  const alternatives = types.flatMap((type) => alternative(type, rest, values));
  const [only] = alternatives;
  if (only === undefined) return shared;
  return alternatives.length === 1
    ? { ...shared, ...only, ...description(shared['description'], only['description']) }
    : { ...shared, anyOf: alternatives };
}

function withNull(schema: SchemaObject, alternatives: readonly unknown[]): SchemaObject {
  const hasNull = alternatives.some((inner) => isJsonObject(inner) && inner['type'] === 'null');
  return hasNull ? schema : { ...schema, anyOf: [...alternatives, { type: 'null' }] };
}

/** Returns the schema of one type; none if no allowed value has it. */
function alternative(type: string, schema: SchemaObject, values: readonly unknown[] | undefined): SchemaObject[] {
  const own = Object.fromEntries(
    (keywordsOf[type] ?? []).flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
  );
  if (values === undefined) return [{ type, ...own }];
  const fitting = values.filter(
    (value) => typeOf(value) === type || (type === 'number' && typeOf(value) === 'integer'),
  );
  if (fitting.length === 0) return [];
  if (type === 'null') return [{ type }];
  const isListed = type === 'string' || type === 'number' || type === 'integer';
  return [isListed ? { type, ...own, enum: fitting } : withNotes({ type, ...own }, { values: fitting }, ['values'])];
}

function valuesOf(original: SchemaObject): readonly unknown[] | undefined {
  if ('const' in original) return [original['const']];
  return Array.isArray(original['enum']) ? original['enum'] : undefined;
}

function typesOf(original: SchemaObject, values: readonly unknown[] | undefined): readonly string[] {
  const given = [original['type'] ?? []].flat().filter((type): type is string => typeof type === 'string');
  const types = given.length > 0 ? given : [...new Set((values ?? []).map(typeOf))];
  const isNullable = original['nullable'] === true && types.length > 0 && !types.includes('null');
  return isNullable ? [...types, 'null'] : types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
