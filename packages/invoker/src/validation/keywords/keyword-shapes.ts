import type { JsonValue } from '@ravi/kernel';
import { canonicalJson } from '../../arguments/digest.ts';
import type { Dialect } from '../check.ts';
import { typeNames } from './scalars.ts';

/** Returns what a value of a keyword must be; `undefined` if it is valid. */
type Shape = (value: unknown, dialect: Dialect) => string | undefined;

const number: Shape = (value) => (typeof value === 'number' ? undefined : 'must be number');
const text: Shape = (value) => (typeof value === 'string' ? undefined : 'must be string');
const boolean: Shape = (value) => (typeof value === 'boolean' ? undefined : 'must be boolean');
const list: Shape = (value) => (Array.isArray(value) ? undefined : 'must be array');
const object: Shape = (value) => (isObject(value) ? undefined : 'must be object');

const count: Shape = (value) => {
  if (!Number.isInteger(value)) return 'must be integer';
  return (value as number) >= 0 ? undefined : 'must be >= 0';
};

const texts: Shape = (value) => {
  if (!Array.isArray(value)) return 'must be array';
  return value.every((each) => typeof each === 'string') ? undefined : 'must hold only strings';
};

const types: Shape = (value) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length === 0) return 'must NOT have fewer than 1 items';
  if (!names.every((name) => typeNames.includes(name as string))) return 'must be equal to one of the allowed values';
  return undefined;
};

const constants: Shape = (value, dialect) => {
  if (!Array.isArray(value)) return 'must be array';
  if (dialect === '2020-12') return undefined;
  const known = new Map<string, number>();
  for (let index = 0; index < value.length; index++) {
    const content = canonicalJson(value[index] as JsonValue);
    const first = known.get(content);
    if (first !== undefined) return `must NOT have duplicate items (items ## ${first} and ${index} are identical)`;
    known.set(content, index);
  }
  return undefined;
};

const textLists: Shape = (value, dialect) => {
  if (!isObject(value)) return 'must be object';
  return Object.values(value)
    .map((each) => texts(each, dialect))
    .find((problem) => problem !== undefined);
};

const divisor: Shape = (value) => {
  if (typeof value !== 'number') return 'must be number';
  return value > 0 ? undefined : 'must be > 0';
};

const schemas: Shape = (value) => {
  if (!Array.isArray(value)) return 'must be array';
  return value.length > 0 ? undefined : 'must NOT have fewer than 1 items';
};

const synchronous: Shape = (value) => (value === true ? 'is set: asynchronous schemas are not supported' : undefined);

const shapes: Readonly<Record<string, Shape>> = {
  $anchor: text,
  $async: synchronous,
  $comment: text,
  $dynamicAnchor: text,
  $dynamicRef: text,
  $id: text,
  $ref: text,
  default: () => undefined,
  dependentRequired: textLists,
  deprecated: boolean,
  description: text,
  enum: constants,
  examples: list,
  exclusiveMaximum: number,
  exclusiveMinimum: number,
  format: text,
  maxContains: count,
  maxItems: count,
  maxLength: count,
  maxProperties: count,
  maximum: number,
  minContains: count,
  minItems: count,
  minLength: count,
  minProperties: count,
  minimum: number,
  multipleOf: divisor,
  pattern: text,
  readOnly: boolean,
  required: texts,
  title: text,
  type: types,
  uniqueItems: boolean,
  writeOnly: boolean,
};

const oneSchema = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const schemaLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const schemaMaps = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
const newKeywords = new Set([
  'dependentRequired',
  'dependentSchemas',
  'maxContains',
  'minContains',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** A schema below a keyword. */
export interface Subschema {
  readonly path: readonly string[];
  readonly schema: unknown;
}

/**
 * Returns the schemas below a keyword.
 * @throws Error naming `path` if the value of the keyword is invalid
 */
export function subschemasOf(
  keyword: string,
  value: unknown,
  { path, dialect }: { readonly path: readonly string[]; readonly dialect: Dialect },
): readonly Subschema[] {
  if (dialect === 'draft-07' && newKeywords.has(keyword)) return [];
  const place = [...path, keyword];
  if (keyword === 'items' && dialect === 'draft-07' && Array.isArray(value)) return each(value, place);
  if (oneSchema.has(keyword)) return [{ path: place, schema: value }];
  const isList = schemaLists.has(keyword);
  const isMap = schemaMaps.has(keyword);
  const shape = isList ? schemas : isMap ? object : Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined;
  const problem = shape?.(value, dialect);
  if (problem !== undefined) throw new Error(`${place.join('.')} ${problem}`);
  if (isList) return each(value as readonly unknown[], place);
  if (!isMap) return [];
  const entries = Object.entries(value as object).map(([name, schema]) => ({ path: [...place, name], schema }));
  if (keyword !== 'dependencies') return entries;
  return entries.filter(({ path: at, schema }) => {
    const wrong = Array.isArray(schema) ? texts(schema, dialect) : undefined;
    if (wrong !== undefined) throw new Error(`${at.join('.')} ${wrong}`);
    return !Array.isArray(schema);
  });
}

function each(list: readonly unknown[], place: readonly string[]): readonly Subschema[] {
  return list.map((schema, index) => ({ path: [...place, String(index)], schema }));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
