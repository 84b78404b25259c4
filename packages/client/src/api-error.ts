import type { Problem } from '@ravi/api';

/** Details of a {@link RaviApiError}. */
export interface RaviApiErrorOptions {
  readonly code: string;
  readonly status: number;
  readonly problem?: Problem;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * A refused request, or one that got no usable response: `E_SERVER_UNREACHABLE` with status 0 when the server cannot be
 * reached, `E_RESPONSE_INVALID` for a response that is not from a Ravi server.
 */
export class RaviApiError extends Error {
  override readonly name = 'RaviApiError';
  /** Stable code of the refusal, for example `E_RUN_NOT_FOUND`. */
  readonly code: string;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Body of the refusal; some refusals have keys next to `error`. */
  readonly problem: Problem | undefined;
  /** Milliseconds after which the same request may succeed, when the server said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { code, status, problem, retryAfterMs, cause }: RaviApiErrorOptions) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** True if the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}
