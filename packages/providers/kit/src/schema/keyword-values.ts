import { isJsonObject } from '../wire.ts';
import type { SchemaObject } from './subschemas.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isList: Check = (value) => Array.isArray(value);
const isSchema: Check = (value) => isFlag(value) || isJsonObject(value);
const isSchemaList: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSchemaMap: Check = (value) => isJsonObject(value) && Object.values(value).every(isSchema);
const isNameList: Check = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isNameLists: Check = (value) => isJsonObject(value) && Object.values(value).every(isNameList);
const isAnchor: Check = (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/u.test(value);

/**
 * Checks of the value of each keyword. Source: the meta-schema of JSON Schema 2020-12, its deprecated part included.
 */
const checks: ReadonlyMap<string, Check> = new Map(
  [
    ['$ref $comment $dynamicRef $recursiveRef title description format pattern', isText],
    ['contentEncoding contentMediaType', isText],
    ['$anchor $dynamicAnchor $recursiveAnchor', isAnchor],
    ['$id', (value: unknown) => typeof value === 'string' && /^[^#]*#?$/u.test(value)],
    ['items additionalProperties contains propertyNames if then else not', isSchema],
    ['unevaluatedItems unevaluatedProperties contentSchema', isSchema],
    ['anyOf oneOf allOf prefixItems', isSchemaList],
    ['properties patternProperties dependentSchemas $defs definitions', isSchemaMap],
    ['required', isNameList],
    ['dependencies dependentRequired', isNameLists],
    ['minimum maximum exclusiveMinimum exclusiveMaximum', isNumber],
    ['multipleOf', (value: unknown) => typeof value === 'number' && value > 0],
    ['minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties', isCount],
    ['uniqueItems deprecated readOnly writeOnly', isFlag],
    ['enum examples', isList],
  ].flatMap(([keywords, check]) =>
    (keywords as string).split(' ').map((keyword) => [keyword, check as Check] as const),
  ),
);

/** Keywords that do not restrict values. */
const notes = new Set('title description $comment examples deprecated readOnly writeOnly $id $anchor'.split(' '));

/**
 * Returns the keywords with values that JSON Schema 2020-12 forbids and that make providers reject the request.
 * @returns for each keyword, true if removing it loses a restriction
 */
export function invalidKeywords(schema: SchemaObject): ReadonlyMap<string, boolean> {
  const invalid = Object.entries(schema).filter(([keyword, value]) => checks.get(keyword)?.(value) === false);
  return new Map(invalid.map(([keyword, value]) => [keyword, !notes.has(keyword) && !isEmpty(value)]));
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
