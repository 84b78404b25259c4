import { resolve } from 'node:path';
import { definePlugin, KernelError } from '@ravi/kernel';
import type { ModelAccess, Plugin } from '@ravi/kernel';
import { configSchema } from './config-schema.ts';
import { createMcpSource } from './mcp-source.ts';
import type { HttpServerOptions, SamplingConfig, SamplingOptions, StdioServerOptions } from './options.ts';

export { createMcpSource } from './mcp-source.ts';
export { defaultLimits } from './options.ts';
export type {
  HttpServerOptions,
  McpLimits,
  McpProtocol,
  McpServerOptions,
  McpSourceContext,
  SamplingConfig,
  SamplingOptions,
  SignInOptions,
  StdioServerOptions,
} from './options.ts';

/** Options of the plugin in the configuration: one entry is one server. */
export type McpConfig = (Omit<StdioServerOptions, 'sampling'> | Omit<HttpServerOptions, 'sampling'>) & {
  /** Absent: the server may not use a model. */
  readonly sampling?: SamplingConfig;
};

const plugin: Plugin<'toolSource', McpConfig> = definePlugin({
  name: 'mcp',
  port: 'toolSource',
  configSchema,
  create: ({ sampling, ...config }, { clock, logger, baseDir, secrets, models }) => {
    const folder = config.url === undefined ? { cwd: resolve(baseDir, config.cwd ?? '.') } : {};
    const asks = sampling === undefined ? {} : { sampling: samplingOf(config.name, sampling, models) };
    return createMcpSource({ ...config, ...folder, ...asks }, { clock, logger, secrets });
  },
});
export default plugin;

function samplingOf(
  server: string,
  { model, requests, ...limits }: SamplingConfig,
  models: ModelAccess | undefined,
): SamplingOptions {
  const provider = models?.find(model);
  if (provider === undefined) {
    const names = models?.names.join(', ') || 'none';
    const message = `The MCP server ${JSON.stringify(server)}: sampling.model names ${JSON.stringify(model)}, the configured models are ${names}`;
    throw new KernelError('E_CONFIG_INVALID', message);
  }
  return { provider, model, ...limits, ...(requests === undefined ? {} : { requestsPerCall: requests }) };
}
