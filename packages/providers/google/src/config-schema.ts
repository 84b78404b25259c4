import type { JsonSchema } from '@ravi/kernel';
import { connectionSchema } from '@ravi/provider-kit';
import type { GoogleOptions } from './google-provider.ts';

/** Options of the plugin in a configuration; keys stay in the environment. */
export interface GoogleConfig extends Omit<GoogleOptions, 'apiKey' | 'accessToken' | 'fetch' | 'clock'> {
  readonly apiKeyVariable: string;
  readonly accessTokenVariable: string;
}

/** The schema of {@link GoogleConfig}. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Name of the model.' },
    baseUrl: {
      type: 'string',
      default: 'https://generativelanguage.googleapis.com/v1beta',
      description: 'Address of the server, up to the version, or at Vertex AI up to `publishers/google`.',
    },
    apiKeyVariable: {
      type: 'string',
      default: 'GEMINI_API_KEY',
      description: 'Environment variable that holds the key; none is sent when it is not set.',
    },
    accessTokenVariable: {
      type: 'string',
      default: 'GOOGLE_ACCESS_TOKEN',
      description: 'Environment variable that holds a token for Vertex AI; it is read before each request.',
    },
    id: { type: 'string', default: 'google', description: 'Key of providerSpecs and providerOptions.' },
    schemas: {
      enum: ['json', 'openapi'],
      default: 'json',
      description: 'Dialect in which arguments of tools are described; `openapi` is older and says less.',
    },
    strict: {
      enum: ['auto', 'always', 'never'],
      default: 'auto',
      description: 'When calls have to fit the schemas of the tools; `auto` when a tool asks for it.',
    },
    tools: { enum: ['native', 'text'], default: 'native', description: '`text` tells the model of tools in words.' },
    stream: { type: 'boolean', default: true, description: 'Asks for the answer event by event.' },
    ...connectionSchema,
  },
  required: ['model'],
  additionalProperties: false,
};
