import type { Clock, JsonSchema } from '@ravi/kernel';

/** How to reach a provider, the same for all of them. */
export interface ConnectionOptions {
  /** Sent with every request; they win over the provider's own, however a name is written. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Milliseconds without a byte, before the first one or between two, until the request is given up; 600 000 when absent,
   * never for `Infinity`.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Further attempts of a request that failed before anything of its answer was there; 2 when absent. */
  readonly maxRetries?: number | undefined;
  /**
   * A provider that asks to wait longer, in milliseconds, gets no further attempt; where none asks, no wait is longer.
   * 30 000 when absent.
   */
  readonly maxRetryDelayMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** Properties of a plugin's options that say how to reach a provider, the same for all of them. */
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
    description: 'Milliseconds without a byte until a request is given up.',
  },
  maxRetries: { type: 'integer', minimum: 0, default: 2, description: 'Further attempts before anything has come.' },
  maxRetryDelayMs: {
    type: 'integer',
    minimum: 0,
    default: 30_000,
    description: 'Who asks to wait longer, in milliseconds, gets no further attempt.',
  },
};
