import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { visibleText } from '../visible-text.ts';

/** Kind of a field of a form. */
export type FormFieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';

/** Format of the text of a field. */
export type FormTextFormat = 'email' | 'uri' | 'date' | 'date-time';

/** Choice of a field. */
export interface FormChoice {
  readonly value: string;
  readonly label: string;
}

/** Field of a form. Its texts have no invisible characters. */
export interface FormField {
  /** Key in the answer. */
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly isRequired: boolean;
  readonly kind: FormFieldKind;
  readonly format?: FormTextFormat;
  /** Smallest number, length of a text or number of choices. */
  readonly minimum?: number;
  /** Largest number, length of a text or number of choices. */
  readonly maximum?: number;
  /** Present for `choice` and `choices`. */
  readonly choices?: readonly FormChoice[];
  readonly default?: string | number | boolean | readonly string[];
}

/** Fields of a form, or what is wrong with its schema. */
export type InputForm = { readonly fields: readonly FormField[] } | { readonly problem: string };

const maxFields = 50;
const maxChoices = 500;
const maxNameCharacters = 200;
const maxLabelCharacters = 300;
const maxDescriptionCharacters = 2_000;
const formats: ReadonlySet<unknown> = new Set<FormTextFormat>(['email', 'uri', 'date', 'date-time']);

class Problem extends Error {}

/**
 * Reads the schema of a form: an object with at most 50 fields of primitive types, or lists of choices. Keywords that a form does not
 * have are ignored. Texts that are too long are cut.
 */
export function readForm(schema: unknown): InputForm {
  try {
    return { fields: fieldsOf(schema) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

function fieldsOf(schema: unknown): readonly FormField[] {
  if (!isObject(schema) || schema['type'] !== 'object') throw new Problem('its type is not "object"');
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties) || !Array.isArray(required)) throw new Problem('its properties are not valid');
  const names = Object.keys(properties);
  if (names.length > maxFields) throw new Problem(`it has ${names.length} fields; the maximum is ${maxFields}`);
  const missing = required.find((name) => typeof name !== 'string' || !names.includes(name));
  if (missing !== undefined) throw new Problem('a required field is missing');
  return names.map((name) => fieldOf(name, properties[name], required.includes(name)));
}

function fieldOf(name: string, schema: unknown, isRequired: boolean): FormField {
  const isPlain = name !== '' && name.length <= maxNameCharacters && name !== '__proto__' && visibleText(name) === name;
  if (!isPlain) throw new Problem('a field has an empty, long or invisible name');
  if (!isObject(schema)) throw new Problem(`the field "${name}" has no schema`);
  const { title, description } = schema;
  return {
    name,
    label: textOf(title, maxLabelCharacters) ?? name,
    ...defined('description', textOf(description, maxDescriptionCharacters)),
    isRequired,
    ...typeOf(name, schema),
  };
}

function typeOf(name: string, schema: JsonObject): Omit<FormField, 'name' | 'label' | 'description' | 'isRequired'> {
  const { type, items, format, default: preset } = schema;
  if (type === 'array') {
    if (!isObject(items)) throw new Problem(`the list "${name}" has no choices`);
    const choices = choicesOf(name, items);
    if (choices === undefined) throw new Problem(`the list "${name}" has no choices`);
    const chosen = Array.isArray(preset)
      ? preset.filter((each): each is string => typeof each === 'string')
      : undefined;
    const limits = limitsOf(schema, 'minItems', 'maxItems');
    return { kind: 'choices', choices, ...limits, ...defined('default', chosen) };
  }
  if (type === 'string' || (type === undefined && choicesOf(name, schema) !== undefined)) {
    const choices = choicesOf(name, schema);
    const text = typeof preset === 'string' ? visibleText(preset) : undefined;
    if (choices !== undefined) return { kind: 'choice', choices, ...defined('default', text) };
    const known = formats.has(format) ? (format as FormTextFormat) : undefined;
    const limits = limitsOf(schema, 'minLength', 'maxLength');
    return { kind: 'text', ...limits, ...defined('format', known), ...defined('default', text) };
  }
  if (type === 'boolean') {
    return { kind: 'boolean', ...defined('default', typeof preset === 'boolean' ? preset : undefined) };
  }
  if (type === 'number' || type === 'integer') {
    const number = typeof preset === 'number' ? preset : undefined;
    return { kind: type, ...limitsOf(schema, 'minimum', 'maximum'), ...defined('default', number) };
  }
  throw new Problem(`the field "${name}" is neither text, a number, true or false, nor a choice`);
}

/** Returns the choices of a schema: values with labels, or values alone. `undefined` if it has none. */
function choicesOf(name: string, schema: JsonObject): readonly FormChoice[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  const titled = oneOf ?? anyOf;
  const labels: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const entries: readonly (readonly [value: unknown, label: unknown])[] | undefined = Array.isArray(titled)
    ? titled.map((each) => (isObject(each) ? [each['const'], each['title']] : [undefined, undefined]))
    : Array.isArray(values)
      ? values.map((value, index) => [value, labels[index]])
      : undefined;
  if (entries === undefined) return undefined;
  if (entries.length === 0 || entries.length > maxChoices) {
    throw new Problem(`the field "${name}" has ${entries.length} choices; it must have 1 to ${maxChoices}`);
  }
  return entries.map(([value, label]) => {
    const isText = typeof value === 'string' && value.length <= maxNameCharacters && visibleText(value) === value;
    if (!isText) throw new Problem(`a choice of the field "${name}" is not plain text`);
    return { value, label: textOf(label, maxLabelCharacters) ?? value };
  });
}

function limitsOf(schema: JsonObject, least: string, most: string): Pick<FormField, 'minimum' | 'maximum'> {
  const [minimum, maximum] = [schema[least], schema[most]];
  return {
    ...defined('minimum', typeof minimum === 'number' ? minimum : undefined),
    ...defined('maximum', typeof maximum === 'number' ? maximum : undefined),
  };
}

/** Returns the schema that the answers to a form fit. Unlike the schema that was read, it has no keyword that a form ignores. */
export function schemaOfForm(fields: readonly FormField[]): JsonSchema {
  const properties = Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

function schemaOf(field: FormField): JsonObject {
  const { kind, label, description, format, minimum, maximum, choices = [], default: preset } = field;
  const about = { title: label, ...defined('description', description), ...defined('default', preset as JsonValue) };
  const titled = choices.map(({ value, label: title }) => ({ const: value, title }));
  const hasTitles = choices.some(({ value, label: title }) => value !== title);
  const values = choices.map(({ value }) => value);
  switch (kind) {
    case 'text':
      return {
        type: 'string',
        ...about,
        ...defined('format', format),
        ...defined('minLength', minimum),
        ...defined('maxLength', maximum),
      };
    case 'choice':
      return { type: 'string', ...about, ...(hasTitles ? { oneOf: titled } : { enum: values }) };
    case 'choices':
      return {
        type: 'array',
        ...about,
        items: hasTitles ? { anyOf: titled } : { type: 'string', enum: values },
        ...defined('minItems', minimum),
        ...defined('maxItems', maximum),
      };
    case 'boolean':
      return { type: 'boolean', ...about };
    default:
      return { type: kind, ...about, ...defined('minimum', minimum), ...defined('maximum', maximum) };
  }
}

function textOf(value: unknown, maxCharacters: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = visibleText(value.slice(0, maxCharacters)).trim();
  return text === '' ? undefined : text;
}

function defined<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
