import type { JsonSchema } from '@ravi/kernel';
import { defaultLimits } from './options.ts';

const text = (description: string): object => ({ type: 'string', minLength: 1, description });
const flag = (description: string): object => ({ type: 'boolean', default: false, description });
const texts = (description: string): object => ({ type: 'array', items: { type: 'string' }, description });
const count = { type: 'integer', minimum: 1 } as const;
const limit = (name: keyof typeof defaultLimits, description: string): object => ({
  type: 'integer',
  minimum: 1,
  default: defaultLimits[name],
  description,
});

/** Schema of the options of the plugin. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: text("Name of the server and first part of its tools' names."),
    command: text('Program that is the server, for example "npx".'),
    args: texts('Arguments of the program.'),
    env: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Environment of the program. It gets nothing else but PATH. { "$env": "NAME" } passes a variable on.',
    },
    cwd: text('Working directory of the program.'),
    url: text('Address of a server that runs elsewhere.'),
    transport: { enum: ['auto', 'http', 'sse'], description: 'Default: auto, streamable HTTP and then the older SSE.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers of each request, for example { "Authorization": { "$env": "TOKEN" } }.',
    },
    allowPrivateAddresses: {
      type: 'boolean',
      description: 'Allows addresses of this machine and of private networks.',
    },
    signIn: {
      type: 'object',
      description: 'Lets callers sign in at the server for themselves.',
      properties: {
        clientId: text('Id of a client that was registered before.'),
        clientSecret: text('Secret of that client.'),
        scope: text('Scopes to ask for, separated by spaces.'),
        issuer: text('The only authorization server to use.'),
        clientMetadataUrl: text('Address of a client id metadata document, for authorization servers that read one.'),
      },
      additionalProperties: false,
    },
    trust: flag('Believes what the server says about the risk of its tools.'),
    acceptNewTools: flag('Offers tools that the server adds later without a person; otherwise they are held.'),
    allow: texts('Tools to offer: exact names, or patterns with *, also as mcp:<server>/*.'),
    deny: texts('Tools not to offer; wins over allow.'),
    risk: {
      type: 'object',
      additionalProperties: { enum: ['safe', 'high', 'critical'] },
      description: 'Risk by name or pattern; wins over what the server says.',
    },
    background: texts('Tools that run as jobs in the background.'),
    resources: flag("Offers tools that list and read the server's resources."),
    prompts: flag("Offers the server's prompts as tools."),
    sampling: {
      type: 'object',
      description: 'Lets the server ask a model during a call. Without it the server may not.',
      properties: {
        model: text('Name of a configured model, or of the one that the environment names.'),
        maxTokens: { ...count, default: 1_024, description: 'Maximum tokens of one answer.' },
        requests: { ...count, default: 3, description: 'Maximum requests during one call.' },
        tokensPerDay: {
          ...count,
          default: 100_000,
          description: 'Maximum tokens in a day (UTC), input and output, for each process.',
        },
      },
      required: ['model'],
      additionalProperties: false,
    },
    protocol: { enum: ['auto', '2025-11-25', '2026-07-28'], default: 'auto', description: 'Version of the protocol.' },
    limits: {
      type: 'object',
      properties: {
        tools: limit('tools', 'Maximum entries of a list.'),
        pages: limit('pages', 'Maximum pages of a list.'),
        messageBytes: limit('messageBytes', 'Maximum bytes of a message.'),
        messageDepth: limit('messageDepth', 'Maximum depth of a message.'),
        messagesPerSecond: limit('messagesPerSecond', 'Maximum messages per second, on average.'),
        resultBytes: limit('resultBytes', 'Maximum bytes of a result.'),
        inlineBytes: limit('inlineBytes', 'Bytes of a file up to which it is not an artifact.'),
        descriptionCharacters: limit('descriptionCharacters', 'Maximum characters of a description.'),
        connectMs: limit('connectMs', 'Milliseconds to connect.'),
        callMs: limit('callMs', 'Milliseconds of a call.'),
      },
      additionalProperties: false,
    },
  },
  required: ['name'],
  additionalProperties: false,
};
