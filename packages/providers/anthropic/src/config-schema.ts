import type { JsonSchema } from '@ravi/kernel';
import { connectionSchema } from '@ravi/provider-kit';
import type { AnthropicOptions } from './anthropic-provider.ts';

/** Options of the plugin in a configuration; the key stays in the environment. */
export interface AnthropicConfig extends Omit<AnthropicOptions, 'apiKey' | 'fetch' | 'clock'> {
  readonly apiKeyVariable: string;
}

/** The schema of {@link AnthropicConfig}. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Name of the model.' },
    baseUrl: {
      type: 'string',
      default: 'https://api.anthropic.com',
      description: 'Address of the server, without /v1/messages.',
    },
    apiKeyVariable: {
      type: 'string',
      default: 'ANTHROPIC_API_KEY',
      description: 'Environment variable that holds the key; none is sent when it is not set.',
    },
    id: { type: 'string', default: 'anthropic', description: 'Key of providerSpecs and providerOptions.' },
    apiVersion: {
      enum: ['2023-06-01', '2026-10-21'],
      default: '2023-06-01',
      description: 'Version of the interface; the later one has no temperature, top_p and top_k.',
    },
    betas: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description: 'Further values of the header anthropic-beta.',
    },
    cache: {
      enum: ['none', '5m', '1h'],
      default: '5m',
      description: 'How long the beginning of a request is kept for the next one.',
    },
    strict: {
      enum: ['auto', 'always', 'never'],
      default: 'auto',
      description: 'When the schema of a tool is enforced word by word; auto, where the tool asks for it.',
    },
    tools: { enum: ['native', 'text'], default: 'native', description: '`text` tells the model of tools in words.' },
    stream: { type: 'boolean', default: true, description: 'Asks for the answer event by event.' },
    ...connectionSchema,
  },
  required: ['model'],
  additionalProperties: false,
};
