import { KernelError, isKernelError } from '@ravi/kernel';

interface Reason {
  readonly words: string;
  readonly retryable: boolean;
}

/** Reasons for failed requests, by the error names of servers, the SDK and Node.js. */
const reasons: Readonly<Record<string, Reason>> = {
  AccessDenied: { words: 'access denied', retryable: false },
  InvalidAccessKeyId: { words: 'the access key is unknown', retryable: false },
  SignatureDoesNotMatch: { words: 'the secret key is wrong', retryable: false },
  ExpiredToken: { words: 'the session token has expired', retryable: true },
  CredentialsProviderError: { words: 'no credentials were found', retryable: false },
  NoSuchBucket: { words: 'the bucket does not exist', retryable: false },
  PermanentRedirect: { words: 'the bucket is in another region', retryable: false },
  QuotaExceeded: { words: 'no space left', retryable: true },
  InsufficientStorage: { words: 'no space left', retryable: true },
  XMinioStorageFull: { words: 'no space left', retryable: true },
  NoSuchUpload: { words: 'a sweep removed the unfinished upload', retryable: true },
  ECONNRESET: { words: 'the connection was closed', retryable: true },
  EPIPE: { words: 'the connection was closed', retryable: true },
  TimeoutError: { words: 'the server does not respond', retryable: true },
  ECONNREFUSED: { words: 'the server cannot be reached', retryable: true },
  ENOTFOUND: { words: 'the server cannot be reached', retryable: true },
};

/**
 * Sends requests and turns errors of the SDK into `E_BLOB_UNAVAILABLE` with our own message: a server's message may
 * name the bucket, and a model may see it. The original error is the `cause`.
 * @throws KernelError `E_CANCELLED` if `signal` is aborted
 */
export async function guarded<Value>(
  action: string,
  operation: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  try {
    return await operation();
  } catch (error) {
    if (isKernelError(error)) throw error;
    if (signal?.aborted === true) throw new KernelError('E_CANCELLED', `Cancelled: ${action}`, { cause: error });
    throw unavailable(action, error);
  }
}

/** Creates `E_BLOB_UNAVAILABLE` for an error of the SDK. */
export function unavailable(action: string, error: unknown): KernelError {
  const names = namesOf(error);
  const known = names.find((name) => Object.hasOwn(reasons, name));
  const { words, retryable } = reasons[known ?? ''] ?? unknownReason(statusOf(error));
  const message = `The blob store cannot ${action}: ${words} (${known ?? names[0] ?? 'unknown'})`;
  return new KernelError('E_BLOB_UNAVAILABLE', message, { cause: error, retryable });
}

/** Returns the result of `operation`, or `undefined` if the object does not exist. */
export async function unlessMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isRefusal(error, 'NoSuchKey', 'NotFound')) return undefined;
    throw error;
  }
}

/** Returns true if a server refused a request with one of `names`. */
export function isRefusal(error: unknown, ...names: readonly string[]): boolean {
  return namesOf(error).some((name) => names.includes(name));
}

/** Returns true if the condition of a write failed; `NoSuchKey` is the response to `If-Match` for a missing object. */
export function isConditionFailed(error: unknown): boolean {
  return isRefusal(error, 'PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey');
}

function unknownReason(status: number | undefined): Reason {
  if (status === undefined) return { words: 'the connection failed', retryable: true };
  return { words: `the server responded ${status}`, retryable: status >= 500 || status === 429 };
}

/**
 * Returns the code and the name of an error. The code comes first, because the SDK names a closed connection
 * `TimeoutError` too.
 */
function namesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const code: unknown = 'code' in error ? error.code : undefined;
  return [code, error.name].filter((name) => typeof name === 'string' && name !== 'Error') as string[];
}

function statusOf(error: unknown): number | undefined {
  const metadata: unknown = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
