import { isRecord } from '../declarations/definitions.ts';

/** Kinds of JSON values, as JSON Schema names them. */
export type ValueKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

/** A JSON value without parts. */
export type Scalar = string | number | boolean | null;

/**
 * Requirements of a schema that hold for certain: a value that breaks them is refused regardless of the rest of the schema.
 * Absent parts require nothing.
 */
export interface ValueShape {
  readonly kinds?: readonly ValueKind[];
  /** The only allowed values. */
  readonly values?: readonly Scalar[];
  readonly items?: ValueShape;
  readonly object?: ObjectShape;
}

/** Requirements of a schema for an object. */
export interface ObjectShape {
  readonly properties: ReadonlyMap<string, ValueShape>;
  readonly required: readonly string[];
  /**
   * Treatment of further properties: refused (`closed`), accepted but unknown to the tool (`open`), or described elsewhere
   * in the schema (`described`).
   */
  readonly others: 'closed' | 'open' | 'described';
}

const kindNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
// Keywords under which an object may have properties that `properties` does not list.
const describingKeywords = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'dependencies',
  'dependentSchemas',
];
const maxDepth = 6;

/** Returns the requirements of a schema, draft-07 or 2020-12. A schema that refers to another one requires nothing here. */
export function valueShape(schema: unknown, depth: number = 0): ValueShape {
  if (!isRecord(schema) || depth > maxDepth || '$ref' in schema || '$dynamicRef' in schema) return {};
  const kinds = kindsOf(schema);
  const values = valuesOf(schema);
  const { items, prefixItems } = schema;
  return {
    ...(kinds === undefined ? {} : { kinds }),
    ...(values === undefined ? {} : { values }),
    ...(isRecord(items) && prefixItems === undefined ? { items: valueShape(items, depth + 1) } : {}),
    ...(kinds === undefined || kinds.includes('object') ? { object: objectShape(schema, depth) } : {}),
  };
}

function kindsOf(schema: Record<string, unknown>): readonly ValueKind[] | undefined {
  const { type } = schema;
  if (type === undefined) return undefined;
  const kinds: unknown[] = Array.isArray(type) ? [...type] : [type];
  if (schema['nullable'] === true) kinds.push('null');
  return kinds.every((kind) => kindNames.includes(kind as string)) ? (kinds as ValueKind[]) : undefined;
}

function valuesOf(schema: Record<string, unknown>): readonly Scalar[] | undefined {
  if (schema['nullable'] === true) return undefined;
  const values: unknown = 'const' in schema ? [schema['const']] : schema['enum'];
  return Array.isArray(values) && values.length > 0 && values.every(isScalar) ? values : undefined;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function objectShape(schema: Record<string, unknown>, depth: number): ObjectShape {
  const { required, additionalProperties, patternProperties } = schema;
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  const isClosed = additionalProperties === false && patternProperties === undefined;
  const isDescribed = properties.length === 0 || describingKeywords.some((keyword) => keyword in schema);
  return {
    properties: new Map(properties.map(([name, property]) => [name, valueShape(property, depth + 1)])),
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    others: isClosed ? 'closed' : isDescribed ? 'described' : 'open',
  };
}
