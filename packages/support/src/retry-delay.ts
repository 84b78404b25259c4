/** Limits of the retries of a model request. */
export interface RetryPolicy {
  /** Maximum retries after the first attempt. */
  readonly maxRetries: number;
  /** Longest wait before a retry, in milliseconds. */
  readonly maxDelayMs: number;
}

/** Fields of an error that decide about a retry. */
export interface RetryableError {
  readonly code: string;
  readonly retryable: boolean;
  /** Wait that the other side asks for. */
  readonly retryAfterMs?: number;
}

/** An address that cannot be reached is usually wrong, so it is given up early. */
const unreachable = { code: 'E_MODEL_UNREACHABLE', maxRetries: 2, firstDelayMs: 250 };
const firstDelayMs = 1000;

/**
 * Returns the milliseconds to wait before the next attempt, or `undefined` if there is none: the error is final, the
 * retries are used up, or the other side asks for a longer wait than allowed. Without a hint the wait is random between
 * 0 and a bound that doubles with each attempt (full jitter). With a hint it is at least as long as the hint.
 * @param attempts attempts that have failed so far, from 1
 */
export function retryDelayMs(
  error: RetryableError,
  attempts: number,
  { maxRetries, maxDelayMs }: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  const isUnreachable = error.code === unreachable.code;
  const limit = isUnreachable ? Math.min(maxRetries, unreachable.maxRetries) : maxRetries;
  if (!error.retryable || attempts > limit) return undefined;
  const { retryAfterMs: hintMs = 0 } = error;
  if (hintMs > maxDelayMs) return undefined;
  // The jitter after a hint is small, so that clients with the same hint do not return together.
  if (hintMs > 0) return Math.min(maxDelayMs, Math.ceil(hintMs + random() * Math.min(1000, hintMs / 10)));
  const bound = (isUnreachable ? unreachable.firstDelayMs : firstDelayMs) * 2 ** (attempts - 1);
  return Math.ceil(random() * Math.min(maxDelayMs, bound));
}
