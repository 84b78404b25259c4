import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createAnthropicProvider } from './anthropic-provider.ts';
import { configSchema } from './config-schema.ts';
import type { AnthropicConfig } from './config-schema.ts';

export { createAnthropicProvider, wireSettings } from './anthropic-provider.ts';
export type { AnthropicOptions } from './anthropic-provider.ts';
export type { AnthropicConfig } from './config-schema.ts';
export { createMessagesDecoder } from './decode.ts';
export { encodeMessages } from './encode.ts';
export type { ApiVersion, CacheMode, MessagesRequest, WireContext, WireSettings } from './wire-settings.ts';

const plugin: Plugin<'modelProvider', AnthropicConfig> = definePlugin({
  name: 'provider-anthropic',
  port: 'modelProvider',
  configSchema,
  create: ({ apiKeyVariable, ...options }, { clock }) =>
    createAnthropicProvider({ ...options, clock, apiKey: process.env[apiKeyVariable] }),
});
export default plugin;
