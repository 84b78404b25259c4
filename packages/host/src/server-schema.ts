import type { JsonSchema } from '@ravi/kernel';

const accessToken: JsonSchema = {
  type: 'object',
  required: ['principal'],
  additionalProperties: false,
  properties: {
    token: {
      type: 'object',
      required: ['$env'],
      additionalProperties: false,
      properties: { $env: { type: 'string', minLength: 1, description: 'Environment variable with the secret.' } },
    },
    tokenFile: { type: 'string', minLength: 1, description: 'File with the secret.' },
    tokenSha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the secret.' },
    principal: { type: 'string', minLength: 1, description: 'Caller that the token identifies.' },
    roles: {
      type: 'array',
      items: { enum: ['run', 'approve', 'admin'] },
      default: ['run'],
      description:
        'Permissions of the caller: run calls tools and starts runs, approve decides approvals, admin has both and sees everything.',
    },
    toolRole: {
      type: 'string',
      minLength: 1,
      description: 'Role of "toolAccess.roles" that says which tools the principal may call: all if absent.',
    },
  },
};

/** Default of `server.requestsPerMinute` if there are access tokens; a schema cannot express the condition. */
export const defaultRequestsPerMinute = 6_000;

/** Schema of the key `server`. */
export const serverSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    host: { type: 'string', minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' },
    port: { type: 'integer', minimum: 0, maximum: 65_535, default: 7341, description: '0 picks a free port.' },
    tokens: { type: 'array', items: accessToken, default: [], description: 'Access tokens of the callers.' },
    fourEyes: {
      type: 'boolean',
      default: false,
      description: 'true refuses decisions on an approval by the principal that requested the call. Needs tokens.',
    },
    allowedHosts: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description: 'Host names to accept in addition to loopback and to the IP address at which a connection arrives.',
    },
    publicUrl: {
      type: 'string',
      pattern: '^https?://[^/?#\\s]+$',
      description:
        'Address at which people reach this server, such as https://ravi.example.org, for links in requests to them; by default the one that it listens on.',
    },
    advertisedAddress: {
      type: 'string',
      pattern: '^https?://[^/?#\\s]+$',
      maxLength: 2000,
      description:
        'Address at which the other servers of the same state store reach this one, such as http://10.0.0.7:7341; by default the one that it listens on, and for all addresses of the machine the first one that is not loopback.',
    },
    version: {
      type: 'string',
      pattern: '^[\\w.-]{1,100}$',
      description:
        'Build of this server, which the list of processes shows after the version of its package; by default RAVI_VERSION.',
    },
    trustedProxies: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description:
        'Addresses and CIDR ranges of proxies whose X-Forwarded-For, X-Forwarded-Proto and Forwarded describe the client: unknown tokens are counted per client, and the sign-in cookie is Secure if the client uses TLS.',
    },
    requestsPerMinute: {
      type: 'integer',
      minimum: 1,
      description: `Limit of one caller; ${defaultRequestsPerMinute} with tokens, unlimited without.`,
    },
    maxConcurrent: {
      type: 'integer',
      minimum: 1,
      default: 512,
      description:
        'Tool calls, scripts and starts of runs that are processed at once. The last eighth is kept for callers without a request in progress.',
    },
    maxEventStreams: {
      type: 'integer',
      minimum: 1,
      default: 200,
      description:
        'Event streams of runs that one principal may have open, in addition to 200 of approvals. More are refused with 429.',
    },
    headersTimeoutMs: {
      type: 'integer',
      minimum: 1,
      default: 10_000,
      description: 'Time for a client to send the headers of a request.',
    },
    requestTimeoutMs: {
      type: 'integer',
      minimum: 1,
      default: 30_000,
      description: 'Time for a client to send a whole request.',
    },
    unreadTimeoutMs: {
      type: 'integer',
      minimum: 1,
      default: 60_000,
      description: 'Time for a client to read the next part of a response.',
    },
    artifactTtlMs: {
      type: 'integer',
      minimum: 1,
      default: 3_600_000,
      description:
        'Time after which an artifact of a single tool call (POST /v1/tools/{name}) or an upload (POST /v1/artifacts) expires.',
    },
    maxArtifactBytes: {
      type: 'integer',
      minimum: 1,
      default: 268_435_456,
      description:
        'Bytes of such artifacts that one principal may hold, each counted as at least 4 096. Once it reaches the limit, further calls are refused with 507 until some are deleted or expire, and an upload that would pass it is cut off. Counted from the start of the process.',
    },
  },
};
