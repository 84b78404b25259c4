import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';

/** Returns an object that fits a simple schema: defaults, first choices, and short samples for the rest. */
export function sampleOf(schema: JsonSchema): JsonObject {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, sampleValue(property)]));
}

function sampleValue(schema: JsonSchema): JsonValue {
  const {
    default: proposed,
    enum: choices,
    oneOf,
    type,
    items,
  } = schema as {
    readonly default?: JsonValue;
    readonly enum?: readonly JsonValue[];
    readonly oneOf?: readonly { readonly const?: JsonValue }[];
    readonly type?: string;
    readonly items?: JsonSchema;
  };
  if (proposed !== undefined) return proposed;
  const choice = choices?.[0] ?? oneOf?.[0]?.const;
  if (choice !== undefined) return choice;
  switch (type) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'array':
      return items === undefined ? [] : [sampleValue(items)];
    case 'object':
      return sampleOf(schema);
    default:
      return 'test';
  }
}
