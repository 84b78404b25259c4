import type { Problem } from '@ravi/api';
import type { UploadContent } from './method.ts';
import { RaviApiError } from './api-error.ts';

/** The `fetch` of a platform, or a function that answers requests in its place. */
export type Fetch = (request: Request) => Promise<Response>;

/** One HTTP request of the client. */
export interface ApiCall {
  readonly method: string;
  /** With its query, below the base URL. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, in place of a JSON body. */
  readonly content?: UploadContent | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** True for a request that may be sent again under its `Idempotency-Key` if no response arrives. */
  readonly isRepeatable?: boolean;
}

/** Options of {@link createTransport}. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly token?: string | undefined;
  readonly credentials?: 'include' | 'same-origin' | undefined;
  readonly fetch?: Fetch | undefined;
}

/** Sends requests. @throws RaviApiError when the response is a refusal and its status is not in `accepted` */
export type Transport = (call: ApiCall, accepted: ReadonlySet<number>) => Promise<Response>;

const repeatAfterMs: readonly number[] = [250, 1_000];

/**
 * Creates the function that sends requests to a server. A repeatable request gets an `Idempotency-Key`, unless it has one, and
 * is sent up to three times while the server cannot be reached.
 */
export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, token, credentials = 'same-origin', fetch: send = fetch } = options;
  const base = baseUrl.replace(/\/+$/, '');

  return async ({ method, path, body, content, signal, isRepeatable = false, ...call }, accepted) => {
    const headers = new Headers(call.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (isRepeatable && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID());
    const url = `${base}${path}`;
    const options = {
      method,
      headers,
      credentials,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A stream is sent while the response may already arrive.
      ...(content === undefined ? {} : { body: content, duplex: 'half' as const }),
      ...(signal === undefined ? {} : { signal }),
    };
    const waits = isRepeatable ? [...repeatAfterMs] : [];
    const attempt = async (): Promise<Response> => {
      const request = new Request(url, options);
      try {
        return await send(request);
      } catch (cause) {
        if (signal?.aborted === true) throw signal.reason;
        const waitMs = waits.shift();
        if (waitMs === undefined) throw unreachable(base === '' ? new URL(request.url).origin : base, cause);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        return attempt();
      }
    };
    const response = await attempt();
    if (response.ok || accepted.has(response.status)) return response;
    throw await refusal(response);
  };
}

/** Reads a JSON body. @throws RaviApiError `E_RESPONSE_INVALID` */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(response, 'the body is not JSON', cause);
  }
}

function unreachable(base: string, cause: unknown): RaviApiError {
  const message = `No server answers at ${base}: ${reasonOf(cause)}`;
  return new RaviApiError(message, { code: 'E_SERVER_UNREACHABLE', status: 0, cause });
}

// Node's fetch hides the reason in `cause`, which may have only a code.
function reasonOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: unknown };
  const { message: inner = '', code = '' } = (cause ?? {}) as { readonly message?: string; readonly code?: string };
  return inner || code || message || String(error);
}

function invalid(response: Response, reason: string, cause?: unknown): RaviApiError {
  const { status } = response;
  return new RaviApiError(`Expected a response of a Ravi server, got status ${status}: ${reason}`, {
    code: 'E_RESPONSE_INVALID',
    status,
    cause,
  });
}

async function refusal(response: Response): Promise<RaviApiError> {
  const problem = (await readJson(response)) as Partial<Problem> | null;
  const { code, message } = problem?.error ?? {};
  if (code === undefined || message === undefined) return invalid(response, 'the body has no error code and message');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new RaviApiError(message, {
    code,
    status: response.status,
    problem: problem as Problem,
    ...(Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1_000 } : {}),
  });
}
