import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { configSchema } from './config-schema.ts';
import type { GoogleConfig } from './config-schema.ts';
import { createGoogleProvider } from './google-provider.ts';

export type { GoogleConfig } from './config-schema.ts';
export { createGeminiDecoder } from './decode.ts';
export { encodeGemini } from './encode.ts';
export { createGoogleProvider } from './google-provider.ts';
export type { GoogleOptions } from './google-provider.ts';
export type { SchemaDialect, WireContext, WireSettings } from './wire-settings.ts';

const plugin: Plugin<'modelProvider', GoogleConfig> = definePlugin({
  name: 'provider-google',
  port: 'modelProvider',
  configSchema,
  create: ({ apiKeyVariable, accessTokenVariable, ...options }, { clock }) =>
    createGoogleProvider({
      ...options,
      clock,
      apiKey: process.env[apiKeyVariable],
      accessToken: () => process.env[accessTokenVariable],
    }),
});
export default plugin;
