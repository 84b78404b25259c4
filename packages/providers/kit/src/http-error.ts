import { isKernelError } from '@ravi/kernel';
import type { ModelError, ModelErrorCode } from '@ravi/kernel';
import { retryAfterMs, shouldRetry } from './retry-hints.ts';

/** What a provider said when it refused. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly message: string;
  /** Its own word for the failure. */
  readonly providerCode?: string;
  /** When the body says it. */
  readonly retryAfterMs?: number;
}

const contextWords =
  /context.?length|context.?window|context_size|maximum context|too many tokens|prompt is too long|input token count|tokens? (?:to|that) keep/iu;
const keyWords = /api[ _]key[ _](?:not[ _]valid|invalid)/iu;
const emptyAccountCodes = /insufficient_(?:quota|balance|credits?|funds)|exceeded_current_quota|billing/iu;
const emptyAccountWords = /insufficient_quota|billing|credit balance/iu;

/**
 * The error of a refusal, by its status, its hints and the few words that providers share.
 * @param now milliseconds since the Unix epoch
 */
export function modelErrorOf(refusal: Refusal, now: number): ModelError {
  const error = refusalError(refusal, now);
  return { ...error, message: clip(error.message) };
}

/** The same with all that the provider said, keys too. */
export function refusalError(refusal: Refusal, now: number): ModelError {
  const { status, headers, message, providerCode } = refusal;
  const code = codeOf(refusal);
  const waitMs = refusal.retryAfterMs ?? retryAfterMs(headers, now);
  const advice = shouldRetry(headers);
  const isFinal = isEmptyAccount(refusal, waitMs !== undefined || advice !== undefined);
  const retryable = isFinal ? false : (advice ?? isRetryable(status));
  return {
    code,
    message: `The model provider answered ${status}: ${message}`,
    retryable,
    status,
    ...(retryable && waitMs !== undefined ? { retryAfterMs: waitMs } : {}),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...requestIdIn(headers),
  };
}

/** The error of an answer that sends the request elsewhere, where it does not go; no key may stand in an address. */
export function redirectError({ status, headers }: Pick<Response, 'status' | 'headers'>, url: URL): ModelError {
  const location = headers.get('location');
  const isAddress = location !== null && URL.canParse(location, url.href);
  const target = isAddress ? new URL(location, url).origin : 'an address that it does not tell';
  const message = `The model provider answered ${status}, a redirect to ${target}, which is not followed; is baseUrl right?`;
  return { ...modelError('E_MODEL_PROTOCOL', message, false), status, ...requestIdIn(headers) };
}

function requestIdIn(headers: Headers): Pick<ModelError, 'requestId'> {
  const requestId = headers.get('x-request-id') ?? headers.get('request-id');
  return requestId === null ? {} : { requestId };
}

/**
 * The error of an answer that ended with one: `status` is the one that would go with it, which a stream cannot say. The
 * message is as long as the provider's; who sent the request takes keys out of it and clips it.
 */
export function modelErrorInStream(refusal: Omit<Refusal, 'headers'>): ModelError {
  const { status: _status, ...error } = refusalError({ ...refusal, headers: new Headers() }, 0);
  return { ...error, message: `The model provider ended the answer: ${refusal.message}` };
}

/** An error without a refusal: the connection, the stream or the caller ended it. */
export function modelError(code: ModelErrorCode, message: string, retryable: boolean): ModelError {
  return { code, message, retryable };
}

/** The error of code that threw where it should not, or with the code of a KernelError. */
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
 * A wait does not fill an empty account. Providers speak of billing in limits that pass within a minute as well, so their
 * words count only where nothing else is said: neither a code nor a hint to try again. A number is a status, no code.
 */
function isEmptyAccount({ message, providerCode = '' }: Refusal, isHinted: boolean): boolean {
  if (!/^\d*$/u.test(providerCode)) return emptyAccountCodes.test(providerCode);
  return !isHinted && emptyAccountWords.test(message);
}

/** The beginning of a text, `maxCharacters` at most, 1000 when absent; no character is cut in two. */
export function clip(text: string, maxCharacters: number = 1000): string {
  const characters = Array.from(text.slice(0, 4 * maxCharacters));
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}
