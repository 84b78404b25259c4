import type { ModelError } from '@ravi/kernel';
import { isJsonObject, modelErrorInStream, parseDuration } from '@ravi/provider-kit';
import type { Refusal, WireObject } from '@ravi/provider-kit';

/**
 * Reads `{ error: { code, message, status, details } }`, also in a list of one. The details contain the retry delay.
 */
export function refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'> {
  const error = errorIn(body);
  if (error === undefined) return { message: typeof body === 'string' ? body : JSON.stringify(body ?? 'no body') };
  const { message, status, details } = error;
  const said = Array.isArray(details) ? details.filter(isJsonObject) : [];
  const reason = said.map((detail) => detail['reason']).find((word) => typeof word === 'string') ?? status;
  const delay = said.map((detail) => detail['retryDelay']).find((time) => typeof time === 'string');
  const waitMs = parseDuration(String(delay ?? ''));
  return {
    message: typeof message === 'string' && message !== '' ? message : JSON.stringify(body),
    ...(typeof reason === 'string' ? { providerCode: reason } : {}),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

/** Returns the error that ends a response; its code is an HTTP status. */
export function streamError(body: unknown): ModelError {
  const code = errorIn(body)?.['code'];
  return modelErrorInStream({ ...refusalOf(body), status: typeof code === 'number' && code >= 400 ? code : 500 });
}

function errorIn(body: unknown): WireObject | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  const error = isJsonObject(outer) ? outer['error'] : undefined;
  return isJsonObject(error) ? error : undefined;
}
