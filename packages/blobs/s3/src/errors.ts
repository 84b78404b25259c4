import { KernelError, isKernelError } from '@ravi/kernel';

interface Reason {
  readonly words: string;
  readonly retryable: boolean;
}

/** Why requests are refused, by the names that servers give it. */
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
  NoSuchUpload: { words: 'a sweep took it for dead', retryable: true },
  ECONNRESET: { words: 'the connection was cut off', retryable: true },
  EPIPE: { words: 'the connection was cut off', retryable: true },
  TimeoutError: { words: 'the server does not answer', retryable: true },
  ECONNREFUSED: { words: 'the server cannot be reached', retryable: true },
  ENOTFOUND: { words: 'the server cannot be reached', retryable: true },
};

/**
 * Sends requests; what the SDK throws becomes `E_BLOB_UNAVAILABLE` in words of our own, because those of a server may
 * name the bucket and the message may travel to a model. The original stays in `cause`.
 * @throws KernelError `E_CANCELLED` when `signal` is aborted
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
    if (signal?.aborted === true)
      throw new KernelError('E_CANCELLED', `It was cancelled to ${action}`, { cause: error });
    throw unavailable(action, error);
  }
}

/** `E_BLOB_UNAVAILABLE` for an error of the SDK. */
export function unavailable(action: string, error: unknown): KernelError {
  const names = namesOf(error);
  const known = names.find((name) => Object.hasOwn(reasons, name));
  const { words, retryable } = reasons[known ?? ''] ?? unknownReason(statusOf(error));
  const message = `The blob store cannot ${action}: ${words} (${known ?? names[0] ?? 'unknown'})`;
  return new KernelError('E_BLOB_UNAVAILABLE', message, { cause: error, retryable });
}

/** What `operation` gives, or `undefined` when the object is not there. */
export async function unlessMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isRefusal(error, 'NoSuchKey', 'NotFound')) return undefined;
    throw error;
  }
}

/** Whether a server refused a request under one of `names`. */
export function isRefusal(error: unknown, ...names: readonly string[]): boolean {
  return namesOf(error).some((name) => names.includes(name));
}

/** Whether the condition of a write did not hold; `NoSuchKey` is the answer to `If-Match` where nothing is. */
export function isConditionFailed(error: unknown): boolean {
  return isRefusal(error, 'PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey');
}

function unknownReason(status: number | undefined): Reason {
  if (status === undefined) return { words: 'the connection failed', retryable: true };
  return { words: `the server answered ${status}`, retryable: status >= 500 || status === 429 };
}

/** The code goes first: the SDK calls a connection that was cut off a `TimeoutError` too. */
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
