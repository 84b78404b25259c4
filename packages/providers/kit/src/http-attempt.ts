import type { Clock, ModelError } from '@ravi/kernel';
import type { ConnectionOptions } from './connection-options.ts';
import { modelError, redirectError, refusalError } from './http-error.ts';
import type { Refusal } from './http-error.ts';
import type { HttpRequest } from './http-request.ts';
import { setTimer } from './timing.ts';

/** What bounds an attempt, and who reads its refusal. */
export interface AttemptOptions extends Pick<ConnectionOptions, 'fetch'> {
  /** Reads the body of a refusal; `undefined` fields are filled from the status. */
  refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'>;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends a request once: the beginning of its answer, or why there is none. Keys may stand in the error. */
export async function attempt(
  { url, headers, body }: HttpRequest,
  { fetch: send = fetch, refusalOf, clock, idleTimeoutMs, signal }: AttemptOptions,
): Promise<Response | ModelError> {
  const patience = new AbortController();
  const timer = setTimer(clock, () => patience.abort(), idleTimeoutMs);
  try {
    const response = await send(url.href, {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body,
      // Elsewhere nobody is to get the key; some redirects would make a GET of the request, too.
      redirect: 'manual',
      signal: AbortSignal.any([signal, patience.signal]),
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
    if (patience.signal.aborted) {
      return modelError('E_MODEL_TIMEOUT', `The model provider did not answer within ${idleTimeoutMs} ms`, true);
    }
    return modelError('E_MODEL_UNAVAILABLE', `The model provider cannot be reached: ${reasonOf(error)}`, true);
  } finally {
    timer?.cancel();
  }
}

// Browsers show no status of one.
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/** The error of a request that its caller has given up. */
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

/** The code of the socket's error where there is one: `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : message;
}
