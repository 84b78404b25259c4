import type { ModelError } from '@ravi/kernel';
import { isJsonObject, modelErrorInStream, parseDuration } from '@ravi/provider-kit';
import type { Refusal, WireObject } from '@ravi/provider-kit';

/** Matches without the final period. */
const waitIn = /(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|[smh]))+)/iu;

/**
 * Reads `{ error: { message, code, type } }` and its variants: flat, plain text, a numeric code, a list of one. A
 * router wraps the error of the upstream server.
 */
export function refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'> {
  const outer = readError(body);
  const raw = outer.metadata?.['raw'];
  const routed =
    raw === undefined || raw === null || raw === ''
      ? undefined
      : readError(typeof raw === 'string' ? parsed(raw) : raw);
  const message = routed === undefined ? outer.message : `${outer.message}: ${routed.message}`;
  const code = outer.code ?? routed?.code;
  const waitMs = parseDuration(waitIn.exec(message)?.[1] ?? '');
  return {
    message,
    ...(code === undefined ? {} : { providerCode: code }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

interface ErrorBody {
  readonly message: string;
  readonly code?: string | undefined;
  /** Of OpenRouter: `raw` is the response of the upstream server. */
  readonly metadata?: WireObject | undefined;
}

function readError(body: unknown): ErrorBody {
  const outer = Array.isArray(body) ? body[0] : body;
  if (typeof outer !== 'object' || outer === null) return { message: String(outer ?? 'no body') };
  const { error, ...flat } = outer as Readonly<Record<string, unknown>>;
  const inner = isJsonObject(error) ? error : flat;
  const message = [inner['message'], inner['detail'], error].find((text) => typeof text === 'string' && text !== '');
  // Gemini's compatible endpoint sends the code as `status` of the error; `status` of a whole response is something
  // else.
  const named = [inner['code'], inner['type'], inner === error ? inner['status'] : undefined];
  const words = named.filter((word) => typeof word === 'string' && word !== '');
  // Some servers repeat the HTTP status as code and name the error only in `type`.
  const code = words.find((word) => !/^\d+$/u.test(word as string)) ?? words[0];
  const { metadata } = inner;
  return {
    message: typeof message === 'string' ? message : JSON.stringify(body),
    code: typeof code === 'string' ? code : undefined,
    metadata: isJsonObject(metadata) ? metadata : undefined,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const statusOfCode: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  server_error: 500,
  api_error: 500,
  overloaded: 503,
  server_is_overloaded: 503,
  vector_store_timeout: 504,
};

/** Returns the error of a stream, which has no HTTP status. Numeric codes are HTTP statuses. */
export function streamError(body: unknown): ModelError {
  const refusal = refusalOf(body);
  const code = codeIn(body);
  const status =
    typeof code === 'number' && code >= 400 && code < 600 ? code : statusOfCode[refusal.providerCode ?? ''];
  return modelErrorInStream({ ...refusal, status: status ?? 400 });
}

function codeIn(body: unknown): unknown {
  const { error, code } = (body ?? {}) as { readonly error?: { readonly code?: unknown }; readonly code?: unknown };
  return error?.code ?? code;
}
