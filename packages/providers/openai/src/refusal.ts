import type { ModelError } from '@ravi/kernel';
import { modelErrorInStream, parseDuration } from '@ravi/provider-kit';
import type { Refusal } from '@ravi/provider-kit';

/** Without the full stop behind it. */
const waitIn = /(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|[smh]))+)/iu;

/** Reads `{ error: { message, code, type } }` and its variants: flat, a bare text, a number as code, a list of one. */
export function refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'> {
  const outer = Array.isArray(body) ? body[0] : body;
  if (typeof outer !== 'object' || outer === null) return { message: String(outer ?? 'no body') };
  const { error, ...flat } = outer as Readonly<Record<string, unknown>>;
  const inner = (typeof error === 'object' && error !== null ? error : flat) as Readonly<Record<string, unknown>>;
  const message = [inner['message'], inner['detail'], error].find((text) => typeof text === 'string' && text !== '');
  // Gemini's endpoint for this interface says it as status of the error; the one of a whole answer is something else.
  const named = [inner['code'], inner['type'], inner === error ? inner['status'] : undefined];
  const words = named.filter((word) => typeof word === 'string' && word !== '');
  // Some repeat the HTTP status as code, and say what it is about only as type.
  const code = words.find((word) => !/^\d+$/u.test(word as string)) ?? words[0];
  const waitMs = parseDuration(waitIn.exec(String(message))?.[1] ?? '');
  return {
    message: typeof message === 'string' ? message : JSON.stringify(body),
    ...(typeof code === 'string' ? { providerCode: code } : {}),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
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

/** The error of a stream, which has no status of its own. Numbers as codes are statuses in these servers. */
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
