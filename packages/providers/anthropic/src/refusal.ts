import type { ModelError } from '@ravi/kernel';
import { isJsonObject, modelErrorInStream, statusIn, textOrEmpty } from '@ravi/provider-kit';
import type { RefusalBody, WireObject } from '@ravi/provider-kit';

/** Reads `{ type: 'error', error: { type, message, details } }`; any other body of a proxy becomes the message. */
export function refusalOf(body: unknown): RefusalBody {
  const error = inner(body, 'error');
  if (error === undefined) return { message: typeof body === 'string' ? body : JSON.stringify(body ?? 'no body') };
  const codes = [inner(error, 'details')?.['error_code'], error['type'], error['code']].map(textOrEmpty);
  const code = codes.find((word) => word !== '') ?? '';
  return {
    message: textOrEmpty(error['message']) || JSON.stringify(body),
    codes,
    ...(code === '' ? {} : { providerCode: code }),
  };
}

/** Returns the error that ends a stream. */
export function streamError(body: unknown): ModelError {
  return modelErrorInStream({ ...refusalOf(body), status: statusIn(inner(body, 'error')) });
}

function inner(value: unknown, key: string): WireObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}
