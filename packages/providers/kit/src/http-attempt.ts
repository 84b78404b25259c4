import type { Clock, ModelError } from '@ravi/kernel';
import type { ConnectionOptions } from './connection-options.ts';
import { modelError, redirectError, refusalError } from './http-error.ts';
import type { Refusal } from './http-error.ts';
import type { HttpRequest } from './http-request.ts';

/** Options of {@link attempt}. */
export interface AttemptOptions extends Pick<ConnectionOptions, 'fetch'> {
  /** Reads the body of an error response; the status fills in `undefined` fields. */
  refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'>;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends a request once. Returns the start of its response or an error, which may contain keys. */
export async function attempt(
  { url, headers, body }: HttpRequest,
  { fetch: send = fetch, refusalOf, clock, idleTimeoutMs, signal }: AttemptOptions,
): Promise<Response | ModelError> {
  const idleTimeout = new AbortController();
  const timer = clock.setTimer(() => idleTimeout.abort(), idleTimeoutMs);
  try {
    const response = await send(url.href, {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body,
      // Another server must not receive the key; some redirects would also turn the request into a GET.
      redirect: 'manual',
      signal: AbortSignal.any([signal, idleTimeout.signal]),
    });
    if (response.ok) return response;
    if (isRedirect(response)) {
      await response.body?.cancel();
      return redirectError(response, url);
    }
    const refusal = { status: response.status, headers: response.headers, ...refusalOf(await bodyOf(response)) };
    return refusalError(refusal, clock.now());
  } catch (error) {
    if (signal.aborted) return cancelled();
    if (idleTimeout.signal.aborted) {
      return modelError('E_MODEL_TIMEOUT', `The model provider did not respond within ${idleTimeoutMs} ms`, true);
    }
    return modelError('E_MODEL_UNAVAILABLE', `The model provider cannot be reached: ${reasonOf(error)}`, true);
  } finally {
    timer.cancel();
  }
}

// Browsers hide the status of a redirect.
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/** Returns the error of a cancelled request. */
export function cancelled(): ModelError {
  return modelError('E_CANCELLED', 'The request was cancelled', false);
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the code of the socket error if there is one, because `fetch failed` alone does not help. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : message;
}
