import type { JsonObject, JsonValue } from '../base/json.ts';
import type { StandardSchema } from './standard-schema.ts';

/**
 * Arguments that a schema describes: the output type of a Standard Schema, or the object type of a JSON Schema that is
 * written as a literal. A JSON Schema that is only known at run time gives any JSON object.
 */
export type ArgumentsOf<Schema> =
  Schema extends StandardSchema<unknown, infer Output>
    ? Output
    : Schema extends { readonly properties: infer Properties }
      ? string extends keyof Properties
        ? JsonObject
        : ObjectOf<Schema, Properties>
      : JsonObject;

// Value that a JSON Schema describes. A keyword that is not listed here allows any JSON value.
type ValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Any)[] }
      ? ValueOf<Any>
      : Schema extends { readonly oneOf: readonly (infer One)[] }
        ? ValueOf<One>
        : Schema extends { readonly type: readonly (infer Name)[] }
          ? TypedValue<Name, Schema>
          : Schema extends { readonly type: infer Name }
            ? TypedValue<Name, Schema>
            : JsonValue;

// Distributes over the names of a list of types.
type TypedValue<Name, Schema> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? readonly ItemOf<Schema>[]
          : Name extends 'object'
            ? AnyObjectOf<Schema>
            : JsonValue;

type ItemOf<Schema> = Schema extends { readonly items: infer Items } ? ValueOf<Items> : JsonValue;

type AnyObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? ObjectOf<Schema, Properties>
  : Schema extends { readonly additionalProperties: infer Values extends object }
    ? { readonly [key: string]: ValueOf<Values> }
    : JsonObject;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never;

// The outer mapped type makes one object type of the two parts, which editors show in full.
type ObjectOf<Schema, Properties> = Simplify<
  { readonly [Key in keyof Properties as Key extends RequiredOf<Schema> ? Key : never]: ValueOf<Properties[Key]> } & {
    readonly [Key in keyof Properties as Key extends RequiredOf<Schema> ? never : Key]?: ValueOf<Properties[Key]>;
  }
>;

type Simplify<Type> = { readonly [Key in keyof Type]: Type[Key] };
