import type { JsonSchema } from '@ravi/kernel';
import { connectionSchema } from '@ravi/provider-kit';
import type { ProgramOptions } from '@ravi/provider-kit';
import type { AnthropicOptions } from './anthropic-provider.ts';

/** Options of the plugin in the configuration; the key stays in the environment. */
export interface AnthropicConfig extends Omit<AnthropicOptions, ProgramOptions> {
  readonly apiKeyVariable: string;
}

/** Schema of {@link AnthropicConfig}. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Name of the model.' },
    baseUrl: {
      type: 'string',
      default: 'https://api.anthropic.com',
      description: 'URL of the server, without /v1/messages.',
    },
    apiKeyVariable: {
      type: 'string',
      default: 'ANTHROPIC_API_KEY',
      description: 'Environment variable that holds the key; no key is sent if it is not set.',
    },
    id: {
      type: 'string',
      default: 'anthropic',
      description: 'Key of providerOptions, and the start of the keys of providerSpecs.',
    },
    apiVersion: {
      enum: ['2023-06-01', '2026-10-21'],
      default: '2023-06-01',
      description: 'API version; the later one does not support temperature, top_p and top_k.',
    },
    betas: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description: 'Additional values of the header anthropic-beta.',
    },
    cache: {
      enum: ['none', '5m', '1h'],
      default: '5m',
      description: 'How long the start of a request is cached.',
    },
    strict: {
      enum: ['auto', 'always', 'never'],
      default: 'auto',
      description: 'When tool schemas are strictly enforced; auto: if the tool asks for it.',
    },
    tools: { enum: ['native', 'text'], default: 'native', description: '`text` describes tools in the prompt.' },
    stream: { type: 'boolean', default: true, description: 'Requests a streamed response.' },
    ...connectionSchema,
  },
  required: ['model'],
  additionalProperties: false,
};
