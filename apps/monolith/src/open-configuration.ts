import { homedir } from 'node:os';
import type { ResolvedConfig } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { readAccessTokens } from './http/access/access-tokens.ts';
import type { Installation } from './installation.ts';
import { knownSecrets } from './logging/known-secrets.ts';
import { openLog } from './logging/server-log.ts';
import type { LogSource } from './logging/server-log.ts';
import { createRedactor } from './logging/redactor.ts';
import { programVersion } from './program-version.ts';
import { createLiveConfig } from './reload/live-config.ts';
import type { Configuration } from './tokens.ts';

/** Options of {@link openConfiguration}. */
export interface OpenConfigurationOptions {
  readonly installation: Installation;
  /** Reads the configuration again. */
  readonly readAgain: () => Promise<ResolvedConfig>;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: LogSource | undefined;
  readonly lifetime: AbortSignal;
}

/**
 * Opens the log and reads the secrets and access tokens that a configuration names.
 * @throws KernelError `E_CONFIG_INVALID`
 */
export async function openConfiguration(options: OpenConfigurationOptions): Promise<Configuration> {
  const { clock, env, cwd, lifetime, readAgain } = options;
  const { config, baseDir, dataFolder } = options.installation;
  const liveConfig = createLiveConfig(config);
  const redactor = createRedactor(await knownSecrets(config, { env, baseDir }));
  const logger = openLog(options.logger, { ...config.logging, env, redactor });
  const accessTokens = await readAccessTokens(config.server.tokens, { env, baseDir });
  if (config.server.fourEyes && accessTokens.length === 0 && config.plugins.approvalHandler === undefined) {
    const message = 'server.fourEyes needs server.tokens: without tokens every caller is the principal "local"';
    throw new KernelError('E_CONFIG_INVALID', message);
  }
  return {
    config: liveConfig.config,
    liveConfig,
    readAgain,
    baseDir,
    clock,
    logger,
    redactor,
    hostPaths: [baseDir, dataFolder, cwd, homedir(), ...Object.values(config.workspaces).map(({ path }) => path)],
    accessTokens,
    lifetime,
    version: programVersion(config.server, env),
  };
}
