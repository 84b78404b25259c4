import type { Answer } from './answer.ts';
import { isTooDeep, isTooDeepIn } from './depth.ts';
import { modelError } from './http-error.ts';
import { isWire } from './wire.ts';
import type { Wire } from './wire.ts';

/**
 * The object that an event of a stream brings. JSON that is no object, `null` or a word, is a sign of life and brings
 * nothing; what is no JSON, or too deep, ends the answer with `E_MODEL_PROTOCOL`.
 */
export function wireEvent(data: string, answer: Answer): Wire | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return refuse('An event of the answer is no JSON', answer);
  }
  if (!isWire(value)) return undefined;
  return isTooDeepIn(data, value) ? refuse('An event of the answer is nested too deep', answer) : value;
}

/** The object that a whole answer is; anything else, or one too deep, ends it with `E_MODEL_PROTOCOL`. */
export function wireBody(value: unknown, answer: Answer): Wire | undefined {
  if (!isWire(value)) return refuse('The answer is no JSON object', answer);
  return isTooDeep(value) ? refuse('The answer is nested too deep', answer) : value;
}

function refuse(message: string, answer: Answer): undefined {
  answer.fail(modelError('E_MODEL_PROTOCOL', message, true));
}
