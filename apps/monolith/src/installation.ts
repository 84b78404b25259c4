import { join, resolve } from 'node:path';
import { loadConfig, openPlugins } from '@ravi/host';
import type {
  ChannelsConfig,
  Environment,
  OpenedPlugins,
  PluginEntry,
  PluginsConfig,
  ResolvedConfig,
} from '@ravi/host';
import type { Clock, Logger, ModelProvider, SecretStore, StateStore, TriggerAccess } from '@ravi/kernel';
import { withConfiguredChannels } from './channels/configured-channels.ts';
import type { InstallationKey } from './installation-key.ts';
import { createSecretStore } from './secrets.ts';

/** Options of {@link findInstallation}. */
export interface InstallationOptions {
  /** Configuration file; `RAVI_CONFIG` and `ravi.config.{json,ts}` in `cwd` come next, then the defaults. */
  readonly configPath?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The environment: `RAVI_CONFIG`, and `RAVI_DATA` for the data folder. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * True to fill the ports of a server too: state is stored in SQLite, and callers decide approvals over HTTP. By default
   * nothing is stored and nothing approved.
   */
  readonly isServer?: boolean;
  /**
   * True to ignore configured access tokens, so that every request comes from the caller `local`. For commands whose user
   * can read the files anyway. Such a process must not listen.
   */
  readonly ignoresTokens?: boolean;
  /** Plugins that replace the configured ones, port by port. */
  readonly plugins?: PluginsConfig;
  /** True to read a configuration again that this process has loaded before. */
  readonly isReload?: boolean;
}

/** Plugins of an installation, which fill every port that the runtime needs. */
export type InstalledPlugins = PluginsConfig & {
  readonly blobStore: PluginEntry;
  readonly sandbox: PluginEntry | readonly PluginEntry[];
};

/** A configuration with every required port filled, and its folders. */
export interface Installation {
  readonly config: ResolvedConfig & { readonly plugins: InstalledPlugins };
  /** Folder from which relative paths of the configuration are resolved. */
  readonly baseDir: string;
  /** Folder of the digest key and of the default blob store. */
  readonly dataFolder: string;
  /** The configuration file; absent if there is none and the defaults apply. */
  readonly configPath?: string;
}

/** Loads the configuration and fills the ports that it leaves open. @throws KernelError `E_CONFIG_INVALID` */
export async function findInstallation(options: InstallationOptions): Promise<Installation> {
  const { configPath, cwd, env, isReload = false } = options;
  const { config: found, baseDir, path } = await loadConfig({ path: configPath, cwd, env, isReload });
  const config = options.ignoresTokens === true ? { ...found, server: { ...found.server, tokens: [] } } : found;
  const dataFolder = env['RAVI_DATA'] ? resolve(cwd, env['RAVI_DATA']) : join(baseDir, 'data');
  const given = { ...config.plugins, ...options.plugins };
  const defaults = options.isServer === true ? serverPlugins(dataFolder) : approvesNothing;
  const plugins = { ...defaultPlugins(dataFolder), ...defaults, ...given };
  return { config: { ...config, plugins }, baseDir, dataFolder, ...(path === undefined ? {} : { configPath: path }) };
}

/** Context of {@link openInstalledPlugins}. */
export interface InstalledPluginsContext {
  readonly baseDir: string;
  readonly clock: Clock;
  /** Variables that options take values from. None when absent. */
  readonly env?: Environment;
  readonly logger: Logger;
  /** Finds the key from which the key of the secrets is derived. Without it the plugins get no secrets. */
  readonly digestKeyFor?: InstallationKey;
  /** Settings of stored channels. Without them no channel is shared. */
  readonly channels?: ChannelsConfig;
  /** Models that sources may ask if the configuration has none. */
  readonly otherModels?: readonly ModelProvider[];
  /** Triggers for tool sources. None when absent. */
  readonly triggers?: TriggerAccess;
}

/**
 * Opens plugins of an installation. A package that is missing in its folder is resolved from this application.
 * @throws KernelError as `openPlugins` of the host
 */
export function openInstalledPlugins<Config extends PluginsConfig>(
  plugins: Config,
  { digestKeyFor, channels, ...context }: InstalledPluginsContext,
): Promise<OpenedPlugins<Config>> {
  const secretsIn = async (store: StateStore): Promise<SecretStore | undefined> => {
    const { values } = store;
    if (values === undefined || digestKeyFor === undefined) return undefined;
    return createSecretStore(values, await digestKeyFor(store));
  };
  const configureState = (store: StateStore): StateStore =>
    channels === undefined ? store : withConfiguredChannels(store, channels);
  return openPlugins({ plugins }, { ...context, secretsIn, configureState, fallbackBaseDir: import.meta.dirname });
}

const approvesNothing: PluginsConfig = { approvalHandler: { use: '@ravi/approval-auto', rules: [] } };

// The approval handler is not a plugin here: it is created from the callers that the server knows.
function serverPlugins(dataFolder: string): PluginsConfig {
  return { stateStore: { use: '@ravi/state-sqlite', file: join(dataFolder, 'state.db') } };
}

function defaultPlugins(dataFolder: string): InstalledPlugins {
  return {
    blobStore: { use: '@ravi/blob-fs', root: join(dataFolder, 'blobs') },
    sandbox: { use: '@ravi/sandbox-isolated-vm' },
    runEngine: { use: '@ravi/engine-memory' },
  };
}
