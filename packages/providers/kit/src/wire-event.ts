import type { ResponseBuilder } from './response-builder.ts';
import { isTooDeep, isTooDeepIn, isJsonObject } from './wire.ts';
import { modelError } from './http-error.ts';
import type { WireObject } from './wire.ts';

/**
 * Parses the object of a stream event. Other JSON, such as `null` or a word, is a keep-alive and returns `undefined`.
 * Invalid JSON, or JSON nested too deeply, ends the response with `E_MODEL_PROTOCOL`.
 */
export function wireEvent(data: string, builder: ResponseBuilder): WireObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return refuse('An event of the response is not JSON', builder);
  }
  if (!isJsonObject(value)) return undefined;
  return isTooDeepIn(data, value) ? refuse('An event of the response is nested too deeply', builder) : value;
}

/**
 * Returns the object of a whole response. Anything else, or an object nested too deeply, ends the response with
 * `E_MODEL_PROTOCOL`.
 */
export function wireBody(value: unknown, builder: ResponseBuilder): WireObject | undefined {
  if (!isJsonObject(value)) return refuse('The response is not a JSON object', builder);
  return isTooDeep(value) ? refuse('The response is nested too deeply', builder) : value;
}

function refuse(message: string, builder: ResponseBuilder): undefined {
  builder.fail(modelError('E_MODEL_PROTOCOL', message, true));
}
