import type { ModelError } from '@ravi/kernel';
import { isJsonObject, modelErrorInStream, textOrEmpty } from '@ravi/provider-kit';
import type { Refusal, WireObject } from '@ravi/provider-kit';

/** Reads `{ type: 'error', error: { type, message, details } }`; any other body of a proxy becomes the message. */
export function refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode'> {
  const error = inner(body, 'error');
  if (error === undefined) return { message: typeof body === 'string' ? body : JSON.stringify(body ?? 'no body') };
  const code = textOrEmpty(inner(error, 'details')?.['error_code']) || textOrEmpty(error['type']);
  return {
    message: textOrEmpty(error['message']) || JSON.stringify(body),
    ...(code === '' ? {} : { providerCode: code }),
  };
}

const statusOfType: Readonly<Record<string, number>> = {
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Returns the error that ends a stream. */
export function streamError(body: unknown): ModelError {
  const type = inner(body, 'error')?.['type'];
  return modelErrorInStream({ ...refusalOf(body), status: statusOfType[textOrEmpty(type)] ?? 400 });
}

function inner(value: unknown, key: string): WireObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}
