import type { JsonSchema } from '@ravi/kernel';
import { connectionSchema } from '@ravi/provider-kit';
import type { ProgramOptions } from '@ravi/provider-kit';
import type { GoogleOptions } from './google-provider.ts';

/** Options of the plugin in the configuration; keys stay in the environment. */
export interface GoogleConfig extends Omit<GoogleOptions, 'accessToken' | ProgramOptions> {
  readonly apiKeyVariable: string;
  readonly accessTokenVariable: string;
}

/** Schema of {@link GoogleConfig}. */
export const configSchema: JsonSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'Name of the model.' },
    baseUrl: {
      type: 'string',
      default: 'https://generativelanguage.googleapis.com/v1beta',
      description: 'URL of the server, including the API version; for Vertex AI up to `publishers/google`.',
    },
    apiKeyVariable: {
      type: 'string',
      default: 'GEMINI_API_KEY',
      description: 'Environment variable that holds the key; no key is sent if it is not set.',
    },
    accessTokenVariable: {
      type: 'string',
      default: 'GOOGLE_ACCESS_TOKEN',
      description: 'Environment variable that holds an access token for Vertex AI; read before each request.',
    },
    id: {
      type: 'string',
      default: 'google',
      description: 'Key of providerOptions, and the start of the keys of providerSpecs.',
    },
    schemas: {
      enum: ['json', 'openapi'],
      default: 'json',
      description: 'Schema dialect of tool arguments; `openapi` is older and less expressive.',
    },
    strict: {
      enum: ['auto', 'always', 'never'],
      default: 'auto',
      description: 'When calls must match the tool schemas; `auto`: if a tool asks for it.',
    },
    tools: { enum: ['native', 'text'], default: 'native', description: '`text` describes tools in the prompt.' },
    stream: { type: 'boolean', default: true, description: 'Requests a streamed response.' },
    ...connectionSchema,
  },
  required: ['model'],
  additionalProperties: false,
};
