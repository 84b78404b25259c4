import type { JsonSchema } from '@ravi/kernel';
import type { WebApprovalConfig } from './options.ts';

const count = (value: number, description: string): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  default: value,
  description,
});

const properties = {
  tokens: {
    type: 'array',
    minItems: 1,
    description: 'Approvers.',
    items: {
      type: 'object',
      required: ['principal'],
      additionalProperties: false,
      properties: {
        token: { type: 'string', minLength: 32, description: 'A secret of at least 32 characters.' },
        tokenSha256: {
          type: 'string',
          pattern: '^[0-9a-f]{64}$',
          description: 'SHA-256 of the secret, instead of the secret.',
        },
        principal: { type: 'string', minLength: 1, description: 'Principal whose requests it sees.' },
        roles: {
          type: 'array',
          items: { enum: ['approve'] },
          description:
            'With "approve" it sees and decides the requests of every principal; without, it only sees its own.',
        },
      },
    },
  },
  fourEyes: {
    type: 'boolean',
    default: false,
    description: 'true refuses decisions of the principal that requested the call.',
  },
  basePath: {
    type: 'string',
    pattern: '^(/[\\w.~-]+)*$',
    default: '',
    description: 'Path at which the handler is mounted, if the server does not strip it.',
  },
  allowedHosts: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    default: [],
    description: 'Host names to accept in addition to loopback names, with a port or for every port.',
  },
  sessionTtlMs: count(43_200_000, 'Lifetime of a login session.'),
  requestsPerMinute: count(300, 'Requests of one token.'),
  failuresPerMinute: count(
    10,
    'Unknown tokens from one address; further ones are refused with 429, known tokens never.',
  ),
  maxBodyBytes: count(1_048_576, 'Maximum size of a request body.'),
  maxStreams: count(100, 'Event streams open at the same time.'),
  maxStreamsPerToken: count(20, 'Event streams of one token.'),
  heartbeatMs: count(15_000, 'Interval of heartbeats on a silent stream.'),
  maxPollMs: count(500, 'Longest delay until a change by another process is noticed.'),
} as const satisfies { readonly [Option in keyof WebApprovalConfig]: JsonSchema };

/** JSON Schema of the options of the plugin, defaults included. */
export const configSchema: JsonSchema = {
  type: 'object',
  required: ['tokens'],
  additionalProperties: false,
  properties,
};

/** Fills in the defaults of the schema. */
export function withDefaults(
  options: Partial<WebApprovalConfig> & Pick<WebApprovalConfig, 'tokens'>,
): WebApprovalConfig {
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    'default' in property ? [[name, property.default] as const] : [],
  );
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...defaults, ...given]) as unknown as WebApprovalConfig;
}
