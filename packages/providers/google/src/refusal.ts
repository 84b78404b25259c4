import type { ModelError } from '@ravi/kernel';
import { isJsonObject, modelErrorInStream, parseDuration, statusIn } from '@ravi/provider-kit';
import type { RefusalBody, WireObject } from '@ravi/provider-kit';

/**
 * Reads `{ error: { code, message, status, details } }`, also in a list of one. The details contain the retry delay.
 */
export function refusalOf(body: unknown): RefusalBody {
  const error = errorIn(body);
  if (error === undefined) return { message: typeof body === 'string' ? body : JSON.stringify(body ?? 'no body') };
  const { message, status, details } = error;
  const said = Array.isArray(details) ? details.filter(isJsonObject) : [];
  const codes = [...said.map((detail) => detail['reason']), status].filter((word) => typeof word === 'string');
  const [reason] = codes;
  const delay = said.map((detail) => detail['retryDelay']).find((time) => typeof time === 'string');
  const waitMs = parseDuration(String(delay ?? ''));
  return {
    message: typeof message === 'string' && message !== '' ? message : JSON.stringify(body),
    codes,
    ...(reason === undefined ? {} : { providerCode: reason }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

/** Returns the error that ends a response; its code is an HTTP status. */
export function streamError(body: unknown): ModelError {
  return modelErrorInStream({ ...refusalOf(body), status: statusIn(errorIn(body)) });
}

function errorIn(body: unknown): WireObject | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  const error = isJsonObject(outer) ? outer['error'] : undefined;
  return isJsonObject(error) ? error : undefined;
}
