import { defaultChainPolicy } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { pluginPorts } from './plugin-ports.ts';

const pluginEntry: JsonSchema = {
  type: 'object',
  required: ['use'],
  properties: { use: { type: 'string', minLength: 1, description: 'Package name or ./path of the plugin.' } },
};

const serverToken: JsonSchema = {
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
    principal: { type: 'string', minLength: 1, description: 'Whose runs and artifacts it sees.' },
    roles: { type: 'array', items: { enum: ['run', 'approve', 'admin'] }, description: '"run" alone when absent.' },
  },
};

const price: JsonSchema = { type: 'number', minimum: 0 };

const modelPrice: JsonSchema = {
  type: 'object',
  required: ['input', 'output'],
  additionalProperties: false,
  properties: { input: price, output: price, cachedInput: price, cacheWrite: price },
};

/**
 * JSON Schema (2020-12) of a configuration file, defaults included. The values of `policy` are checked by
 * `defineChainPolicy` and the options of a plugin by its own schema.
 */
export const configSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    server: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: { type: 'string', minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' },
        port: { type: 'integer', minimum: 0, maximum: 65_535, default: 7341, description: '0 picks a free port.' },
        tokens: { type: 'array', items: serverToken, description: 'Who may use the server.' },
        allowedHosts: { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Names beside loopback.' },
        requestsPerMinute: { type: 'integer', minimum: 1, description: 'Of one principal.' },
        maxConcurrent: { type: 'integer', minimum: 1, description: 'Calls and scripts that run at once; 512.' },
        headersTimeoutMs: { type: 'integer', minimum: 1, description: 'For the headers of a request; 10 000.' },
        requestTimeoutMs: { type: 'integer', minimum: 1, description: 'For a whole request; 30 000.' },
        unreadTimeoutMs: { type: 'integer', minimum: 1, description: 'For a client that reads nothing; 60 000.' },
      },
    },
    policy: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: Object.fromEntries(Object.keys(defaultChainPolicy).map((field) => [field, true])),
    },
    chains: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        preflight: { type: 'boolean', default: true, description: 'Whether scripts are checked before they run.' },
        approvals: {
          enum: ['wait', 'pause'],
          default: 'wait',
          description: 'Whether a script waits for a human, or is stored and goes on with the answer.',
        },
      },
    },
    agent: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        system: { type: 'string', description: 'The first part of its system prompt.' },
        maxSteps: { type: 'integer', minimum: 1, description: 'Answers that one run may ask its model for.' },
        demoScript: {
          type: 'string',
          minLength: 1,
          description: 'Script that the scripted model runs where no key of a provider is set.',
        },
        budget: {
          type: 'object',
          additionalProperties: false,
          description: 'What one run may use; no bound where a field is absent.',
          properties: {
            maxTokens: { type: 'integer', minimum: 1, description: 'Input and output of the model.' },
            maxCost: { type: 'number', minimum: 0, description: 'In the currency of "prices".' },
            maxToolCalls: { type: 'integer', minimum: 1, description: 'Calls of the model, those of scripts apart.' },
            maxTimeMs: { type: 'integer', minimum: 1, description: 'Milliseconds, humans included.' },
          },
        },
        prices: {
          type: 'object',
          additionalProperties: modelPrice,
          description: 'Prices for a million tokens, by the name of the model.',
        },
      },
    },
    retention: {
      type: 'object',
      required: ['maxAgeDays'],
      additionalProperties: false,
      properties: {
        maxAgeDays: { type: 'number', exclusiveMinimum: 0, description: 'Days after which runs that are over go.' },
      },
    },
    logging: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        level: {
          enum: ['debug', 'info', 'warn', 'error'],
          default: 'info',
          description: 'The least important lines that are written; RAVI_LOG_LEVEL wins.',
        },
      },
    },
    telemetry: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        endpoint: {
          type: 'string',
          pattern: '^https?://',
          description: 'OTLP collector that gets spans and metrics; OTEL_EXPORTER_OTLP_ENDPOINT wins.',
        },
        content: {
          type: 'boolean',
          default: false,
          description: 'Whether spans hold arguments and results of calls, redacted and cut.',
        },
      },
    },
    tools: {
      type: 'array',
      default: [],
      items: { type: 'string', minLength: 1 },
      description: 'Folders of files that default-export tools.',
    },
    skills: {
      type: 'array',
      default: [],
      items: { type: 'string', minLength: 1 },
      description: 'Folders of skills, each <name>/SKILL.md.',
    },
    plugins: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: Object.fromEntries(
        Object.entries(pluginPorts).map(([port, count]) => [
          port,
          count === 'list' ? { type: 'array', items: pluginEntry } : pluginEntry,
        ]),
      ),
    },
  },
};
