import { isKernelError } from '@ravi/kernel';
import type { ModelError, ModelErrorCode } from '@ravi/kernel';
import { retryAfterMs, shouldRetry } from './retry-hints.ts';

/** Error response of a provider. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly message: string;
  /** The provider's own code for the failure. */
  readonly providerCode?: string;
  /** Wait that the body asks for. */
  readonly retryAfterMs?: number;
}

const contextWords =
  /context.?length|context.?window|context_size|maximum context|too many tokens|prompt is too long|input token count|tokens? (?:to|that) keep/iu;
const keyWords = /api[ _]key[ _](?:not[ _]valid|invalid)/iu;
const emptyAccountCodes = /insufficient_(?:quota|balance|credits?|funds)|exceeded_current_quota|billing/iu;
const emptyAccountWords = /insufficient_quota|billing|credit balance/iu;

/**
 * Returns the error of an error response, by its status, its retry hints and the few words that providers share.
 * @param now milliseconds since the Unix epoch
 */
export function modelErrorOf(refusal: Refusal, now: number): ModelError {
  const error = refusalError(refusal, now);
  return { ...error, message: clip(error.message) };
}

/** Returns the same error with the complete message of the provider, which may contain keys. */
export function refusalError(refusal: Refusal, now: number): ModelError {
  const { status, headers, message, providerCode } = refusal;
  const code = codeOf(refusal);
  const waitMs = refusal.retryAfterMs ?? retryAfterMs(headers, now);
  const advice = shouldRetry(headers);
  const isFinal = isEmptyAccount(refusal, waitMs !== undefined || advice !== undefined);
  const retryable = isFinal ? false : (advice ?? isRetryable(status));
  return {
    code,
    message: `The model provider responded with ${status}: ${message}`,
    retryable,
    status,
    ...(retryable && waitMs !== undefined ? { retryAfterMs: waitMs } : {}),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...requestIdIn(headers),
  };
}

/**
 * Returns the error of a redirect, which is not followed. It names only the origin, because the rest of a URL may
 * contain a key.
 */
export function redirectError({ status, headers }: Pick<Response, 'status' | 'headers'>, url: URL): ModelError {
  const location = headers.get('location');
  const isAddress = location !== null && URL.canParse(location, url.href);
  const target = isAddress ? new URL(location, url).origin : 'an unknown address';
  const message = `The model provider responded with ${status}, a redirect to ${target}, which is not followed; check baseUrl`;
  return { ...modelError('E_MODEL_PROTOCOL', message, false), status, ...requestIdIn(headers) };
}

function requestIdIn(headers: Headers): Pick<ModelError, 'requestId'> {
  const requestId = headers.get('x-request-id') ?? headers.get('request-id');
  return requestId === null ? {} : { requestId };
}

/**
 * Returns the error of a stream that ended with one; `status` is the HTTP status that matches it, because a stream has
 * none. The message is complete; the sender of the request removes keys from it and clips it.
 */
export function modelErrorInStream(refusal: Omit<Refusal, 'headers'>): ModelError {
  const { status: _status, ...error } = refusalError({ ...refusal, headers: new Headers() }, 0);
  return { ...error, message: `The model provider ended the response: ${refusal.message}` };
}

/** Returns an error without an error response, for example of the connection, the stream or the caller. */
export function modelError(code: ModelErrorCode, message: string, retryable: boolean): ModelError {
  return { code, message, retryable };
}

/** Returns the error for a thrown value, with the code of a KernelError if it is one. */
export function thrownError(what: string, error: unknown): ModelError {
  if (isKernelError(error)) return { code: error.code, message: error.message, retryable: error.retryable };
  return modelError('E_MODEL_PROTOCOL', `${what}: ${error instanceof Error ? error.message : String(error)}`, false);
}

function codeOf({ status, message, providerCode = '' }: Refusal): ModelErrorCode {
  if (status === 401 || status === 403 || (status === 400 && keyWords.test(`${providerCode} ${message}`))) {
    return 'E_MODEL_AUTHENTICATION';
  }
  if (status === 429) return 'E_MODEL_RATE_LIMITED';
  if (status === 413 || (status < 500 && contextWords.test(`${providerCode} ${message}`))) {
    return 'E_MODEL_CONTEXT_EXCEEDED';
  }
  if (status === 408 || status === 504) return 'E_MODEL_TIMEOUT';
  if (status === 503 || status === 529) return 'E_MODEL_OVERLOADED';
  return status >= 500 || status < 400 ? 'E_MODEL_UNAVAILABLE' : 'E_MODEL_REFUSED_REQUEST';
}

function isRetryable(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/**
 * Returns true if the account has no credit, which waiting does not change. Providers also mention billing in limits
 * that pass within a minute, so words count only without a code and without a retry hint. A number is a status, not a
 * code.
 */
function isEmptyAccount({ message, providerCode = '' }: Refusal, isHinted: boolean): boolean {
  if (!/^\d*$/u.test(providerCode)) return emptyAccountCodes.test(providerCode);
  return !isHinted && emptyAccountWords.test(message);
}

/** Returns the beginning of a text, at most `maxCharacters` (1000 by default), without splitting a character. */
export function clip(text: string, maxCharacters: number = 1000): string {
  const characters = Array.from(text.slice(0, 4 * maxCharacters));
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}
