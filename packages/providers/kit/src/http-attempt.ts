import type { Clock, ModelError } from '@ravi/kernel';
import type { ConnectionOptions } from './connection-options.ts';
import type { Deadlines } from './deadlines.ts';
import { connectionError } from './errors/connection-error.ts';
import { modelError, redirectError, refusalError } from './http-error.ts';
import type { RefusalBody } from './http-error.ts';
import type { HttpRequest } from './http-request.ts';

/** Options of {@link attempt}. */
export interface AttemptOptions extends Pick<ConnectionOptions, 'fetch'> {
  /** Reads the body of an error response; the status fills in `undefined` fields. */
  refusalOf(body: unknown): RefusalBody;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** More bytes of an error response are not read. */
  readonly maxErrorBytes: number;
  readonly signal: AbortSignal;
}

/** Sends a request once. Returns the start of its response or an error, which may contain keys. */
export async function attempt(
  { url, headers, body }: HttpRequest,
  { fetch: send = fetch, refusalOf, clock, deadlines, maxErrorBytes, signal }: AttemptOptions,
): Promise<Response | ModelError> {
  const timeout = new AbortController();
  let exceeded: ModelError | undefined;
  const watch = deadlines.watch((error) => {
    exceeded = error;
    timeout.abort();
  });
  try {
    const response = await send(url.href, {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body,
      // Another server must not receive the key; some redirects would also turn the request into a GET.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    if (response.ok) return response;
    if (isRedirect(response)) {
      await response.body?.cancel();
      return redirectError(response, url);
    }
    const refused = refusalOf(await errorBodyOf(response, maxErrorBytes));
    return refusalError({ status: response.status, headers: response.headers, ...refused }, clock.now());
  } catch (error) {
    if (signal.aborted) return cancelled();
    return exceeded ?? connectionError(error, url);
  } finally {
    watch.cancel();
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

/** Reads at most `maxBytes` of an error response. */
async function errorBodyOf(response: Response, maxBytes: number): Promise<unknown> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let left = maxBytes; left > 0;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) break;
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
  }
  void reader?.cancel().catch(() => undefined);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
