import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { isObject, member, resolved, Unusable } from '../document/json-pointer.ts';
import { ownSchema } from '../document/own-schema.ts';
import { essence, isJsonType } from '../media-type.ts';

/** Claims of the document about the responses of an operation. */
export interface Responses {
  /** Value of the header `accept`. */
  readonly accept: string;
  /** Schema of the value of every successful response. Absent if one of them is not JSON, or has no usable schema. */
  readonly outputSchema?: JsonSchema;
}

/** Reads the successful responses of an operation. What cannot be read is not checked. */
export function readResponses(document: JsonObject, operation: JsonObject): Responses {
  const types = new Set<string>();
  const schemas: JsonValue[] = [];
  let isKnown = true;
  for (const response of successes(document, operation['responses'])) {
    const content = response === undefined ? undefined : response['content'];
    const media = isObject(content) ? Object.entries(content) : [];
    if (response === undefined) isKnown = false;
    else if (media.length === 0) schemas.push({ type: 'null' });
    for (const [type, value] of media) {
      const schema = member(value, 'schema');
      types.add(essence(type));
      if (isJsonType(essence(type)) && schema !== undefined) schemas.push(schema);
      else isKnown = false;
    }
  }
  const accept = acceptOf(types);
  const outputSchema = isKnown ? joined(document, schemas) : undefined;
  return outputSchema === undefined ? { accept } : { accept, outputSchema };
}

function successes(document: JsonObject, responses: unknown): readonly (JsonObject | undefined)[] {
  if (!isObject(responses)) return [undefined];
  const entries = Object.entries(responses).filter(([status]) => /^2(?:\d\d|XX)$/i.test(status));
  const parts = entries.length > 0 ? entries.map(([, part]) => part) : [responses['default']];
  return parts.map((part) => {
    try {
      return resolved(document, part, 'a response');
    } catch (error) {
      if (error instanceof Unusable) return undefined;
      throw error;
    }
  });
}

function acceptOf(types: ReadonlySet<string>): string {
  const json = [...types].filter(isJsonType);
  const others = [...types].filter(
    (type) => !isJsonType(type) && type !== '*/*' && /^[\w.+*-]+\/[\w.+*-]+$/.test(type),
  );
  const weighted = others.map((type) => (json.length > 0 ? `${type};q=0.9` : type));
  return [...(types.size === 0 ? ['application/json'] : json), ...weighted, '*/*;q=0.1'].slice(0, 20).join(', ');
}

function joined(document: JsonObject, schemas: readonly JsonValue[]): JsonSchema | undefined {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [first] = different;
  if (first === undefined) return undefined;
  try {
    return ownSchema(document, different.length === 1 ? first : { anyOf: different }, 'response');
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}
