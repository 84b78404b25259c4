import type { ResponseBuilder } from './response-builder.ts';
import { isTooDeep, isTooDeepIn, isJsonObject } from './wire.ts';
import { modelError } from './http-error.ts';
import type { WireObject } from './wire.ts';

/**
 * The object that an event of a stream brings. JSON that is no object, `null` or a word, is a sign of life and brings
 * nothing; what is no JSON, or too deep, ends the answer with `E_MODEL_PROTOCOL`.
 */
export function wireEvent(data: string, builder: ResponseBuilder): WireObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return refuse('An event of the answer is no JSON', builder);
  }
  if (!isJsonObject(value)) return undefined;
  return isTooDeepIn(data, value) ? refuse('An event of the answer is nested too deep', builder) : value;
}

/** The object that a whole answer is; anything else, or one too deep, ends it with `E_MODEL_PROTOCOL`. */
export function wireBody(value: unknown, builder: ResponseBuilder): WireObject | undefined {
  if (!isJsonObject(value)) return refuse('The answer is no JSON object', builder);
  return isTooDeep(value) ? refuse('The answer is nested too deep', builder) : value;
}

function refuse(message: string, builder: ResponseBuilder): undefined {
  builder.fail(modelError('E_MODEL_PROTOCOL', message, true));
}
