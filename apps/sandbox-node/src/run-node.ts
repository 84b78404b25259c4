import { createJsonLogger, openPlugins } from '@ravi/host';
import { shutdownSignal } from '@ravi/host/shutdown-signal';
import { systemClock } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { readTlsFiles, startSandboxNode } from '@ravi/sandbox-remote';
import type { SandboxNode } from '@ravi/sandbox-remote';
import { startHealthServer } from './health-server.ts';
import type { LoadedNodeConfig } from './node-config.ts';

/** Milliseconds for what is left after the scripts have ended. */
const disposalLimitMs = 10_000;

/**
 * Runs a node until SIGTERM or SIGINT: it refuses new runs then, and ends after those in progress have, or after
 * `drainTimeoutMs`. SIGHUP reads the certificates again. Prints the address to standard output and logs to standard error. Takes
 * over the process.
 * @throws KernelError `E_CONFIG_INVALID`, or as the plugin of the sandbox
 */
export async function runNode({ config, baseDir }: LoadedNodeConfig): Promise<void> {
  const logger = createJsonLogger({ level: config.logLevel, write: (line) => void process.stderr.write(line) });
  watchFaults(logger);
  const shutdown = shutdownSignal();
  const tls = await readTlsFiles(config, baseDir);
  await using plugins = await openPlugins(
    { plugins: { sandbox: config.sandbox } },
    { baseDir, fallbackBaseDir: import.meta.dirname, clock: systemClock, logger, env: process.env },
  );
  const { host, port, clients, maxRuns, maxConnections, maxBufferedBytes, pingIntervalMs } = config;
  await using node = await startSandboxNode({
    sandbox: plugins.sandbox,
    tls,
    host,
    port,
    ...(clients === undefined ? {} : { clients }),
    maxRuns,
    maxConnections,
    maxBufferedBytes,
    pingIntervalMs,
    logger,
  });
  await using health = config.health && (await startHealthServer(config.health, node.health));
  process.on('SIGHUP', () => void reloadCertificates(node, { config, baseDir }, logger));
  const { sandbox, supports } = node.health();
  const probes = health === undefined ? {} : { health: `http://${health.host}:${health.port}/health` };
  logger.info('the node is ready', { sandbox, languages: supports.languages, ...probes });
  process.stdout.write(`listening on ${shown(node)}\n`);
  const signal = await shutdown;
  const { drainTimeoutMs } = config;
  logger.info('the node shuts down', { signal, runs: node.health().runs, drainTimeoutMs });
  const hasDrained = await node.drain(drainTimeoutMs);
  if (!hasDrained) logger.warn('scripts are ended that still run', { runs: node.health().runs });
  setTimeout(() => process.exit(1), disposalLimitMs).unref();
}

async function reloadCertificates(
  node: SandboxNode,
  { config, baseDir }: LoadedNodeConfig,
  logger: Logger,
): Promise<void> {
  try {
    node.replaceTls(await readTlsFiles(config, baseDir));
    logger.info('the certificates were read again');
  } catch (error) {
    logger.error('the certificates were not replaced', { error });
  }
}

function shown({ host, port }: SandboxNode): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Logs faults in the form of the log. State may be half changed after an exception, so the process ends, and its guests with it. */
function watchFaults(logger: Logger): void {
  process.on('unhandledRejection', (error) => logger.error('unhandled promise rejection', { error }));
  process.on('uncaughtException', (error) => {
    logger.error('uncaught exception', { error });
    process.exit(1);
  });
}
