import type { ModelError } from '@ravi/kernel';
import { isJsonObject, modelErrorInStream, parseDuration, statusIn } from '@ravi/provider-kit';
import type { RefusalBody, WireObject } from '@ravi/provider-kit';

/** Matches without the final period. Azure writes `retry after 20 seconds`. */
const waitIn = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|[smh]))+|\d+ seconds?)/iu;

/**
 * Reads `{ error: { message, code, type } }` and its variants: flat, plain text, a numeric code, a list of one. A
 * router wraps the error of the upstream server.
 */
export function refusalOf(body: unknown): RefusalBody {
  const outer = readError(body);
  const raw = outer.metadata?.['raw'];
  const routed =
    raw === undefined || raw === null || raw === ''
      ? undefined
      : readError(typeof raw === 'string' ? parsed(raw) : raw);
  const message = routed === undefined ? outer.message : `${outer.message}: ${routed.message}`;
  const code = outer.code ?? routed?.code;
  const waitMs = parseDuration((waitIn.exec(message)?.[1] ?? '').replace(/ seconds?$/u, 's'));
  return {
    message,
    codes: [...outer.codes, ...(routed?.codes ?? [])],
    ...(code === undefined ? {} : { providerCode: code }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

interface ErrorBody {
  readonly message: string;
  readonly code?: string | undefined;
  readonly codes: readonly string[];
  /** Of OpenRouter: `raw` is the response of the upstream server. */
  readonly metadata?: WireObject | undefined;
}

function readError(body: unknown): ErrorBody {
  const outer = Array.isArray(body) ? body[0] : body;
  if (typeof outer !== 'object' || outer === null) return { message: String(outer ?? 'no body'), codes: [] };
  const { error, ...flat } = outer as Readonly<Record<string, unknown>>;
  const inner = isJsonObject(error) ? error : flat;
  const message = [inner['message'], inner['detail'], error].find((text) => typeof text === 'string' && text !== '');
  // Gemini's compatible endpoint sends the code as `status` of the error; `status` of a whole response is something
  // else.
  const named = [inner['code'], inner['type'], inner === error ? inner['status'] : undefined];
  const codes = named.filter((word) => typeof word === 'string' && word !== '') as readonly string[];
  // Some servers repeat the HTTP status as code and name the error only in `type`.
  const code = codes.find((word) => !/^\d+$/u.test(word)) ?? codes[0];
  const { metadata } = inner;
  return {
    message: typeof message === 'string' ? message : JSON.stringify(body),
    code,
    codes,
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

/** Returns the error of a stream, which has no HTTP status unless the error names one. */
export function streamError(body: unknown): ModelError {
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : body;
  return modelErrorInStream({ ...refusalOf(body), status: statusIn(error) });
}
