import type { JsonSchema } from '@ravi/kernel';

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
