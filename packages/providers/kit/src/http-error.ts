import { isKernelError } from '@ravi/kernel';
import type { ModelError, ModelErrorCode } from '@ravi/kernel';
import { classifyError } from './errors/classify-error.ts';
import { retryAfterMs, shouldRetry } from './retry-hints.ts';

/** Error response of a provider. */
export interface Refusal {
  /** HTTP status; `undefined` for an error inside a stream that names none. */
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly message: string;
  /** The provider's own code for the failure. */
  readonly providerCode?: string;
  /** All codes and types of the error, by which it is classified; `providerCode` by default. */
  readonly codes?: readonly string[];
  /** Wait that the body asks for. */
  readonly retryAfterMs?: number;
}

/** Parts of a {@link Refusal} that a provider reads from the body of an error. */
export type RefusalBody = Omit<Refusal, 'status' | 'headers'>;

/**
 * Returns the error of an error response, classified by `errorRules`.
 * @param now milliseconds since the Unix epoch
 */
export function modelErrorOf(refusal: Refusal, now: number): ModelError {
  const error = refusalError(refusal, now);
  return { ...error, message: clip(error.message) };
}

/** Returns the same error with the complete message of the provider, which may contain keys. */
export function refusalError(refusal: Refusal, now: number): ModelError {
  const { status, headers, message, providerCode } = refusal;
  const waits = [refusal.retryAfterMs, retryAfterMs(headers, now)].filter((wait) => wait !== undefined);
  const waitMs = waits.length === 0 ? undefined : Math.max(...waits);
  const advice = shouldRetry(headers);
  const isHinted = waitMs !== undefined || advice !== undefined;
  const codes = refusal.codes ?? (providerCode === undefined ? [] : [providerCode]);
  const rule = classifyError({ status, codes, message, isHinted });
  const retryable = rule.error === 'E_MODEL_NO_CREDIT' ? false : (advice ?? rule.retryable);
  return {
    code: rule.error,
    message: `The model provider responded with ${status ?? 'an error'}: ${message}`,
    retryable,
    ...(status === undefined ? {} : { status }),
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
 * Returns the error of a stream that ended with one; `status` is the HTTP status that the error names, if it does. An
 * unknown error is retryable, because the provider had accepted the request. The message is complete; the sender of the
 * request removes keys from it and clips it.
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

/** Returns the beginning of a text, at most `maxCharacters` (1000 by default), without splitting a character. */
export function clip(text: string, maxCharacters: number = 1000): string {
  const characters = Array.from(text.slice(0, 4 * maxCharacters));
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}
