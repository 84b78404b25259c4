import type { Clock, JsonSchema } from '@ravi/kernel';

/** Connection options of all providers. */
export interface ConnectionOptions {
  /** Sent with every request. They override the provider's own headers, regardless of case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Milliseconds without a byte, before the first one or between two, after which the request fails; 600 000 by
   * default, `Infinity` for no limit.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Maximum retries of a request that failed before any of its response arrived; 2 by default. */
  readonly maxRetries?: number | undefined;
  /**
   * Longest wait before a retry, in milliseconds; 30 000 by default. If the provider asks for a longer wait, the
   * request fails instead.
   */
  readonly maxRetryDelayMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** Schema of the connection options in the configuration of a provider plugin. */
export const connectionSchema: Readonly<Record<string, JsonSchema>> = {
  headers: {
    type: 'object',
    additionalProperties: { type: 'string' },
    default: {},
    description: 'Sent with every request.',
  },
  idleTimeoutMs: {
    type: 'integer',
    minimum: 1,
    default: 600_000,
    description: 'Milliseconds without a byte after which a request fails.',
  },
  maxRetries: {
    type: 'integer',
    minimum: 0,
    default: 2,
    description: 'Maximum retries before any of the response has arrived.',
  },
  maxRetryDelayMs: {
    type: 'integer',
    minimum: 0,
    default: 30_000,
    description: 'Longest wait before a retry, in milliseconds; if the provider asks for more, the request fails.',
  },
};
