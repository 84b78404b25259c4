import type { JsonSchema } from '@ravi/kernel';

declare const value: unique symbol;

/** A JSON Schema (2020-12) whose values have the type `Value`. The type exists at compile time only. */
export interface Schema<Value> extends JsonSchema {
  readonly [value]?: Value;
}

/** A schema of JSON objects. */
export interface ObjectSchema<Value> extends Schema<Value> {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema<unknown>>>;
}

/** Type of the values of a schema. */
export type ValueOf<AnySchema> = AnySchema extends Schema<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type Flat<Value> = { [Name in keyof Value]: Value[Name] };
type FieldsOf<Required extends Fields, Optional extends Fields> = Flat<
  { readonly [Name in keyof Required]: ValueOf<Required[Name]> } & {
    readonly [Name in keyof Optional]?: ValueOf<Optional[Name]>;
  }
>;
type Same<Left, Right> =
  (<Probe>() => Probe extends Left ? 1 : 2) extends <Probe>() => Probe extends Right ? 1 : 2 ? true : false;

interface Described {
  readonly description?: string;
}

/** Returns a schema of text. */
export function string(
  options: Described & { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string } = {},
): Schema<string> {
  return { type: 'string', ...options };
}

/** Returns a schema of numbers. */
export function number(options: Described & { readonly minimum?: number } = {}): Schema<number> {
  return { type: 'number', ...options };
}

/** Returns a schema of whole numbers. */
export function integer(
  options: Described & { readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> {
  return { type: 'integer', ...options };
}

/** Returns a schema of `true` and `false`. */
export function boolean(options: Described = {}): Schema<boolean> {
  return { type: 'boolean', ...options };
}

/** Returns a schema of one value. */
export function literal<const Value extends string>(only: Value, options: Described = {}): Schema<Value> {
  return { const: only, ...options };
}

/** Returns a schema of a few values. */
export function enumOf<const Values extends readonly string[]>(
  values: Values,
  options: Described = {},
): Schema<Values[number]> {
  return { enum: values, ...options };
}

/** Returns a schema of lists. */
export function array<Item>(items: Schema<Item>, options: Described = {}): Schema<readonly Item[]> {
  return { type: 'array', items, ...options };
}

/** Returns a schema of objects with any keys. */
export function record<Value>(values: Schema<Value>, options: Described = {}): Schema<Readonly<Record<string, Value>>> {
  return { type: 'object', additionalProperties: values, ...options };
}

/** Returns a schema of values that fit one of several schemas. */
export function union<const Schemas extends readonly Schema<unknown>[]>(
  schemas: Schemas,
  options: Described = {},
): Schema<ValueOf<Schemas[number]>> {
  return { anyOf: schemas, ...options };
}

/** Returns a schema of objects with these keys. A response may gain keys, so others are allowed. */
export function object<Required extends Fields, Optional extends Fields = Record<never, never>>(
  required: Required,
  optional?: Optional,
): ObjectSchema<FieldsOf<Required, Optional>> {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** Returns a schema of objects with these keys and no others, as requests are checked. */
export function strictObject<Required extends Fields, Optional extends Fields = Record<never, never>>(
  required: Required,
  optional?: Optional,
): ObjectSchema<FieldsOf<Required, Optional>> {
  return { ...object(required, optional), additionalProperties: false };
}

/** Returns the schema of an object with further keys. */
export function extend<Base, Required extends Fields, Optional extends Fields = Record<never, never>>(
  base: ObjectSchema<Base>,
  required: Required,
  optional?: Optional,
): ObjectSchema<Flat<Base & FieldsOf<Required, Optional>>> {
  const more = object(required, optional);
  return {
    type: 'object',
    required: [...base.required, ...more.required],
    properties: { ...base.properties, ...more.properties },
  };
}

/** Returns a copy of a schema with another description. */
export function described<Value>(schema: Schema<Value>, description: string): Schema<Value> {
  return { ...schema, description };
}

/** Returns a schema with the given type, for values that the schema describes only in part. */
export function typed<Value>(schema: JsonSchema): Schema<Value> {
  return schema;
}

/**
 * Gives a schema a type that the kernel owns: `sameAs<Run>()(object({...}))`. It does not compile when the schema
 * describes another type, so the two cannot drift apart.
 */
export function sameAs<Owner>(): <Described>(
  schema: ObjectSchema<Described> & (Same<Described, Owner> extends true ? unknown : { readonly differsFrom: Owner }),
) => ObjectSchema<Owner> {
  return (schema) => schema as ObjectSchema<unknown> as ObjectSchema<Owner>;
}
