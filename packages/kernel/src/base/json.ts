/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; keys are own properties only. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema document, draft-07 or 2020-12 (told apart by `$schema`, 2020-12 when absent). */
export type JsonSchema = Readonly<Record<string, unknown>>;
