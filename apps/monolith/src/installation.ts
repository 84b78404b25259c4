import { join, resolve } from 'node:path';
import { loadConfig, openPlugins } from '@ravi/host';
import type { OpenedPlugins, PluginsConfig, ResolvedConfig } from '@ravi/host';
import type { Clock, Logger } from '@ravi/kernel';

/** Where an installation is looked for. */
export interface InstallationOptions {
  /** Configuration file; `RAVI_CONFIG` and `ravi.config.{json,ts}` in `cwd` come next, then the defaults. */
  readonly configPath?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The environment: `RAVI_CONFIG`, and `RAVI_DATA` for the data folder. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Plugins that win over the configured ones, port by port. */
  readonly plugins?: PluginsConfig;
}

/** A configuration with every port filled that the runtime needs, and where it lives. */
export interface Installation {
  readonly config: ResolvedConfig;
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
  const { config, baseDir, path } = await loadConfig({ path: configPath, cwd, env });
  const dataFolder = env['RAVI_DATA'] ? resolve(cwd, env['RAVI_DATA']) : join(baseDir, 'data');
  const plugins = { ...defaultPlugins(dataFolder), ...config.plugins, ...options.plugins };
  return { config: { ...config, plugins }, baseDir, dataFolder, ...(path === undefined ? {} : { configPath: path }) };
}

/**
 * Opens plugins of an installation. A package that its folder does not have is taken from this application.
 * @throws KernelError as `openPlugins` of the host
 */
export function openInstalledPlugins(
  plugins: PluginsConfig,
  context: { readonly baseDir: string; readonly clock: Clock; readonly logger: Logger },
): Promise<OpenedPlugins> {
  return openPlugins({ plugins }, { ...context, fallbackBaseDir: import.meta.dirname });
}

// Nothing is approved by default.
function defaultPlugins(dataFolder: string): PluginsConfig {
  return {
    blobStore: { use: '@ravi/blob-fs', root: join(dataFolder, 'blobs') },
    approvalHandler: { use: '@ravi/approval-auto', rules: [] },
    sandbox: { use: '@ravi/sandbox-isolated-vm' },
  };
}
