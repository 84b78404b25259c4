import type { JsonSchema } from '@ravi/kernel';
import { connectionSchema } from '@ravi/provider-kit';
import type { ProgramOptions } from '@ravi/provider-kit';
import { dialects } from './dialect.ts';
import type { OpenAiOptions } from './openai-provider.ts';

/** Options of the plugin in the configuration; the key stays in the environment. */
export interface OpenAiConfig extends Omit<OpenAiOptions, ProgramOptions> {
  readonly apiKeyVariable: string;
}

/** Schema of {@link OpenAiConfig}. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Name of the model.' },
    baseUrl: {
      type: 'string',
      default: 'https://api.openai.com/v1',
      description: 'URL of the server, including the API version.',
    },
    apiKeyVariable: {
      type: 'string',
      default: 'OPENAI_API_KEY',
      description: 'Environment variable that holds the key; no key is sent if it is not set.',
    },
    api: {
      enum: ['responses', 'chat'],
      description: 'API; by default `responses` at OpenAI and `chat` elsewhere.',
    },
    id: {
      type: 'string',
      default: 'openai',
      description: 'Key of providerOptions, and the start of the keys of providerSpecs.',
    },
    dialect: {
      enum: Object.keys(dialects),
      description: 'Dialect of the server; detected from the URL by default.',
    },
    strict: {
      enum: ['auto', 'always', 'never'],
      default: 'auto',
      description:
        'When tool schemas are strictly enforced: `auto` where the server is known to support it, `always` also at unknown servers.',
    },
    tools: { enum: ['native', 'text'], default: 'native', description: '`text` describes tools in the prompt.' },
    stream: { type: 'boolean', default: true, description: 'Requests a streamed response.' },
    store: { type: 'boolean', default: false, description: 'Lets OpenAI store responses.' },
    ...connectionSchema,
  },
  required: ['model'],
  additionalProperties: false,
};
