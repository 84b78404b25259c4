import type { Clock, JsonSchema } from '@ravi/kernel';

/** Limits of the requests of a provider, with the retries of callers that do not retry themselves. */
export interface ConnectionLimits {
  /** Milliseconds from sending a request to the first part of the response that the model wrote; 600 000 by default. */
  readonly firstTokenTimeoutMs: number;
  /**
   * Milliseconds between two parts of a response; 600 000 by default. Comments and pings, which only keep the connection
   * open, are not parts.
   */
  readonly idleTimeoutMs: number;
  /** Milliseconds from sending a request to the end of its response; 3 600 000 by default. */
  readonly totalTimeoutMs: number;
  /** Maximum size of an encoded request; 67 108 864 by default. */
  readonly maxRequestBytes: number;
  /** Maximum size of a response, streamed or whole; 134 217 728 by default. */
  readonly maxResponseBytes: number;
  /** Bytes of an error response that are read; 65 536 by default. */
  readonly maxErrorBytes: number;
  /** Maximum retries of a request that failed before any output; 2 by default. An agent retries itself instead. */
  readonly maxRetries: number;
  /**
   * Longest wait before a retry, in milliseconds; 30 000 by default. If the provider asks for a longer wait, the
   * request fails instead.
   */
  readonly maxRetryDelayMs: number;
}

/** Defaults of {@link ConnectionLimits}. `Infinity` disables a time limit. */
export const connectionDefaults: ConnectionLimits = {
  firstTokenTimeoutMs: 600_000,
  idleTimeoutMs: 600_000,
  totalTimeoutMs: 3_600_000,
  maxRequestBytes: 67_108_864,
  maxResponseBytes: 134_217_728,
  maxErrorBytes: 65_536,
  maxRetries: 2,
  maxRetryDelayMs: 30_000,
};

/** Connection options of all providers. */
export type ConnectionOptions = { readonly [Name in keyof ConnectionLimits]?: ConnectionLimits[Name] | undefined } & {
  /** Sent with every request. They override the provider's own headers, regardless of case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
};

/** Options that a configuration does not have: functions, and retries, which the agent of a server makes. */
export type ProgramOptions = 'apiKey' | 'clock' | 'fetch' | 'maxRetries' | 'maxRetryDelayMs';

const limit = (name: keyof ConnectionLimits, description: string): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  default: connectionDefaults[name],
  description,
});

/** Schema of the connection options in the configuration of a provider plugin. */
export const connectionSchema: Readonly<Record<string, JsonSchema>> = {
  headers: {
    type: 'object',
    additionalProperties: { type: 'string' },
    default: {},
    description: 'Sent with every request.',
  },
  firstTokenTimeoutMs: limit('firstTokenTimeoutMs', 'Time from sending a request to the first output of the model.'),
  idleTimeoutMs: limit(
    'idleTimeoutMs',
    'Time between two parts of a response; comments and pings that keep the connection open do not count.',
  ),
  totalTimeoutMs: limit('totalTimeoutMs', 'Time from sending a request to the end of its response.'),
  maxRequestBytes: limit('maxRequestBytes', 'Maximum size of a request; a larger one is not sent.'),
  maxResponseBytes: limit('maxResponseBytes', 'Maximum size of a response; a longer one fails.'),
  maxErrorBytes: limit('maxErrorBytes', 'Bytes of an error response that are read.'),
};
