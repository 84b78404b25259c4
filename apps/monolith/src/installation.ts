import { join, resolve } from 'node:path';
import { loadConfig, openPlugins } from '@ravi/host';
import type { OpenedPlugins, PluginEntry, PluginsConfig, ResolvedConfig } from '@ravi/host';
import type { Clock, Logger } from '@ravi/kernel';

/** Where an installation is looked for. */
export interface InstallationOptions {
  /** Configuration file; `RAVI_CONFIG` and `ravi.config.{json,ts}` in `cwd` come next, then the defaults. */
  readonly configPath?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The environment: `RAVI_CONFIG`, and `RAVI_DATA` for the data folder. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Whether the ports of a server are filled too: what happens is kept in SQLite, and whoever sends requests answers
   * approvals. Without it nothing is kept and nothing approved.
   */
  readonly isServer?: boolean;
  /**
   * Whether whoever asks is the caller `local` whatever tokens are configured: for a command of somebody who can read the
   * files anyway. Such a process must not listen.
   */
  readonly ignoresTokens?: boolean;
  /** Plugins that win over the configured ones, port by port. */
  readonly plugins?: PluginsConfig;
}

/** Plugins of an installation, which fill every port that the runtime needs. */
export type InstalledPlugins = PluginsConfig & {
  readonly blobStore: PluginEntry;
  readonly sandbox: PluginEntry;
};

/** A configuration with every required port filled, and its folders. */
export interface Installation {
  readonly config: ResolvedConfig & { readonly plugins: InstalledPlugins };
  /** Folder that relative paths of the configuration mean. */
  readonly baseDir: string;
  /** Folder of the digest key and of the default blob store. */
  readonly dataFolder: string;
  /** The configuration file; absent when the defaults hold. */
  readonly configPath?: string;
}

/** Finds the configuration and fills the ports that it leaves open. @throws KernelError `E_CONFIG_INVALID` */
export async function findInstallation(options: InstallationOptions): Promise<Installation> {
  const { configPath, cwd, env } = options;
  const { config: found, baseDir, path } = await loadConfig({ path: configPath, cwd, env });
  const config = options.ignoresTokens === true ? { ...found, server: { ...found.server, tokens: [] } } : found;
  const dataFolder = env['RAVI_DATA'] ? resolve(cwd, env['RAVI_DATA']) : join(baseDir, 'data');
  const given = { ...config.plugins, ...options.plugins };
  const defaults = options.isServer === true ? serverPlugins(dataFolder) : approvesNothing;
  const plugins = { ...defaultPlugins(dataFolder), ...defaults, ...given };
  return { config: { ...config, plugins }, baseDir, dataFolder, ...(path === undefined ? {} : { configPath: path }) };
}

/**
 * Opens plugins of an installation. A package that its folder does not have is taken from this application.
 * @throws KernelError as `openPlugins` of the host
 */
export function openInstalledPlugins<Config extends PluginsConfig>(
  plugins: Config,
  context: { readonly baseDir: string; readonly clock: Clock; readonly logger: Logger },
): Promise<OpenedPlugins<Config>> {
  return openPlugins({ plugins }, { ...context, fallbackBaseDir: import.meta.dirname });
}

const approvesNothing: PluginsConfig = { approvalHandler: { use: '@ravi/approval-auto', rules: [] } };

// The handler of approvals is made of the callers that the server knows, and is no plugin.
function serverPlugins(dataFolder: string): PluginsConfig {
  return { stateStore: { use: '@ravi/state-sqlite', file: join(dataFolder, 'state.db') } };
}

function defaultPlugins(dataFolder: string): InstalledPlugins {
  return {
    blobStore: { use: '@ravi/blob-fs', root: join(dataFolder, 'blobs') },
    sandbox: { use: '@ravi/sandbox-isolated-vm' },
  };
}
