import { resolve } from 'node:path';
import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { configSchema } from './config-schema.ts';
import { createMcpSource } from './mcp-source.ts';
import type { HttpServerOptions, StdioServerOptions } from './options.ts';

export { createMcpSource } from './mcp-source.ts';
export { defaultLimits } from './options.ts';
export type {
  HttpServerOptions,
  McpLimits,
  McpProtocol,
  McpServerOptions,
  McpSourceContext,
  SamplingOptions,
  SignInOptions,
  StdioServerOptions,
} from './options.ts';

/** Options of the plugin in the configuration: one entry is one server. */
export type McpConfig = Omit<StdioServerOptions, 'sampling'> | Omit<HttpServerOptions, 'sampling'>;

const plugin: Plugin<'toolSource', McpConfig> = definePlugin({
  name: 'mcp',
  port: 'toolSource',
  configSchema,
  create: (config, { clock, logger, baseDir, secrets }) => {
    const folder = config.url === undefined ? { cwd: resolve(baseDir, config.cwd ?? '.') } : {};
    return createMcpSource({ ...config, ...folder }, { clock, logger, secrets });
  },
});
export default plugin;
