import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createOpenAiProvider } from './openai-provider.ts';
import { configSchema } from './config-schema.ts';
import type { OpenAiConfig } from './config-schema.ts';

export { createChatDecoder } from './chat/decode.ts';
export { encodeChat } from './chat/encode.ts';
export type { OpenAiConfig } from './config-schema.ts';
export { dialectAt } from './dialect.ts';
export type { Dialect, DialectName } from './dialect.ts';
export { createOpenAiProvider } from './openai-provider.ts';
export type { OpenAiOptions } from './openai-provider.ts';
export { createResponsesDecoder } from './responses/decode.ts';
export { encodeResponses } from './responses/encode.ts';
export type { WireContext, WireSettings } from './wire-settings.ts';

const plugin: Plugin<'modelProvider', OpenAiConfig> = definePlugin({
  name: 'provider-openai',
  port: 'modelProvider',
  configSchema,
  create: ({ apiKeyVariable, ...options }, { clock }) =>
    createOpenAiProvider({ ...options, clock, apiKey: process.env[apiKeyVariable] }),
});
export default plugin;
