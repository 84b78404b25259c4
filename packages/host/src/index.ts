export { createArgumentDigest } from './argument-digest.ts';
export { configSchema } from './config-schema.ts';
export { defaultRequestsPerMinute } from './server-schema.ts';
export { defineConfig } from './config.ts';
export type {
  AccessTokenConfig,
  ChainsConfig,
  ChannelsConfig,
  LoggingConfig,
  PluginEntry,
  PluginsConfig,
  RaviConfig,
  RetentionConfig,
  ResolvedAccessToken,
  ResolvedConfig,
  ServerConfig,
  TelemetryConfig,
} from './config.ts';
export type {
  AgentConfig,
  AgentEntry,
  BudgetConfig,
  DelegateConfig,
  GuardConfig,
  SupervisionConfig,
  ToolPatterns,
} from './agent-config.ts';
export type { ToolAccessConfig } from './tool-access-schema.ts';
export { foldersOfWorkspace } from './workspace-config.ts';
export type { ResolvedWorkspace, WorkspaceConfig } from './workspace-config.ts';
export type { DailyBudgetConfig, SharedBudgetsConfig } from './budget-config.ts';
export type { TriggerConfig } from './trigger-config.ts';
export { builtInAgent, delegatesOf } from './check-agents.ts';
export { isEnvironmentValue } from './environment-values.ts';
export type { Environment, EnvironmentValue } from './environment-values.ts';
export { findConfig } from './find-config.ts';
export type { ConfigLocation } from './find-config.ts';
export { createJsonLogger } from './json-logger.ts';
export type { JsonLoggerOptions } from './json-logger.ts';
export { loadConfig } from './load-config.ts';
export type { LoadedConfig } from './load-config.ts';
export { openPlugins } from './open-plugins.ts';
export type { OpenedPlugins, OpenPluginsOptions } from './open-plugins.ts';
export { pluginPorts, shippedKits } from './config.ts';
export type { ComposedPort, ExtensionPort, ListPort, SinglePort } from './config.ts';
export { parseJson } from './parse-json.ts';
export { completeOptions, invalidConfig, resolveConfig } from './resolve-config.ts';
export type { ConfigOrigin } from './resolve-config.ts';
