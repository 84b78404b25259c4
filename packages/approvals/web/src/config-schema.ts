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
    description: 'Who may decide.',
    items: {
      type: 'object',
      required: ['principal'],
      additionalProperties: false,
      properties: {
        token: { type: 'string', minLength: 32, description: 'A secret of at least 32 characters.' },
        tokenSha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the secret instead of it.' },
        principal: { type: 'string', minLength: 1, description: 'Whose requests it sees and decides.' },
        roles: { type: 'array', items: { enum: ['approve'] }, description: '"approve" decides everybody\'s.' },
      },
    },
  },
  basePath: {
    type: 'string',
    pattern: '^(/[\\w.~-]+)*$',
    default: '',
    description: 'Where the handler is mounted, when the server leaves that in the path.',
  },
  allowedHosts: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    default: [],
    description: 'Names of the server beside loopback ones, with a port or for every port.',
  },
  sessionTtlMs: count(43_200_000, 'How long a sign-in holds.'),
  requestsPerMinute: count(300, 'Of one token.'),
  failuresPerMinute: count(10, 'Wrong tokens from one address.'),
  maxBodyBytes: count(1_048_576, 'Of a request.'),
  maxStreams: count(100, 'Streams of events that are open at once.'),
  maxStreamsPerToken: count(20, 'Streams of events of one token.'),
  heartbeatMs: count(15_000, 'Between signs of life of a silent stream.'),
  maxPollMs: count(500, 'Until a change of another process is noticed.'),
} as const satisfies { readonly [Option in keyof WebApprovalConfig]: JsonSchema };

/** JSON Schema of the options of the plugin, defaults included. */
export const configSchema: JsonSchema = {
  type: 'object',
  required: ['tokens'],
  additionalProperties: false,
  properties,
};

/** The options with the defaults of the schema where they are absent. */
export function withDefaults(
  options: Partial<WebApprovalConfig> & Pick<WebApprovalConfig, 'tokens'>,
): WebApprovalConfig {
  const defaults = Object.entries(properties).flatMap(([name, property]) =>
    'default' in property ? [[name, property.default] as const] : [],
  );
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...defaults, ...given]) as unknown as WebApprovalConfig;
}
