import type { JsonSchema } from '@ravi/kernel';
import { connectionSchema } from '@ravi/provider-kit';
import { dialects } from './dialect.ts';
import type { OpenAiOptions } from './openai-provider.ts';

/** Options of the plugin in a configuration; the key stays in the environment. */
export interface OpenAiConfig extends Omit<OpenAiOptions, 'apiKey' | 'fetch' | 'clock'> {
  readonly apiKeyVariable: string;
}

/** The schema of {@link OpenAiConfig}. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Name of the model.' },
    baseUrl: {
      type: 'string',
      default: 'https://api.openai.com/v1',
      description: 'Address of the server, up to the version.',
    },
    apiKeyVariable: {
      type: 'string',
      default: 'OPENAI_API_KEY',
      description: 'Environment variable that holds the key; none is sent when it is not set.',
    },
    api: {
      enum: ['responses', 'chat'],
      description: 'Interface; `responses` at OpenAI, `chat` elsewhere, when absent.',
    },
    id: { type: 'string', default: 'openai', description: 'Key of providerSpecs and providerOptions.' },
    dialect: {
      enum: Object.keys(dialects),
      description: 'Whose ways the server has; told from the address when absent.',
    },
    strict: {
      enum: ['auto', 'always', 'never'],
      default: 'auto',
      description: 'When the schema of a tool is enforced word by word.',
    },
    tools: { enum: ['native', 'text'], default: 'native', description: '`text` tells the model of tools in words.' },
    stream: { type: 'boolean', default: true, description: 'Asks for the answer event by event.' },
    store: { type: 'boolean', default: false, description: 'Lets OpenAI keep answers.' },
    ...connectionSchema,
  },
  required: ['model'],
  additionalProperties: false,
};
