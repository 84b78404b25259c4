/** Value that `JSON.parse(JSON.stringify(value))` returns unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** JSON object. Only own properties count as keys. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** JSON Schema document in draft-07 or 2020-12, as its `$schema` says; 2020-12 when it has none. */
export type JsonSchema = Readonly<Record<string, unknown>>;
