import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import type { ResponseContext } from './response-builder.ts';
import type { PreparedTools } from './prepare-tools.ts';
import { isJsonObject } from './wire.ts';

/** Encoded request and the context that decodes its response. */
export interface WireRequest<Context extends ResponseContext = ResponseContext> {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
  readonly context: Context;
}

/**
 * Merges the caller's provider options into the encoder's body. Objects are merged field by field and lists are
 * replaced; `undefined` fields are removed.
 */
export function withOptions(body: Readonly<Record<string, unknown>>, request: ModelRequest, id: string): JsonObject {
  const present = Object.entries(body).filter(([, value]) => value !== undefined);
  return merged(Object.fromEntries(present) as JsonObject, request.providerOptions?.[id] ?? {});
}

function merged(body: JsonObject, own: JsonObject): JsonObject {
  const entries = Object.entries(own).map(([key, value]) => {
    const given = Object.hasOwn(body, key) ? body[key] : undefined;
    return [key, isJsonObject(given) && isJsonObject(value) ? merged(given, value) : value] as const;
  });
  return { ...body, ...Object.fromEntries(entries) };
}

/**
 * Returns the own names of the chosen tools that are offered; `undefined` if the request does not choose tools by name.
 */
export function chosenNames(
  request: ModelRequest,
  tools: PreparedTools,
  warnings: ModelWarning[],
): readonly string[] | undefined {
  if (typeof request.toolChoice !== 'object') return undefined;
  const offered = new Set([...tools.functions.map(({ spec }) => spec.name), ...tools.native.map(({ name }) => name)]);
  const missing = request.toolChoice.oneOf.filter((name) => !offered.has(name));
  if (missing.length > 0) {
    warnings.push({ code: 'option-ignored', message: `The chosen tools ${missing.join(', ')} are not offered` });
  }
  return request.toolChoice.oneOf.filter((name) => offered.has(name));
}
