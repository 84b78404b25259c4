import { partsOf } from './container.ts';
import { watchFaults } from './faults.ts';
import type { Faults } from './faults.ts';
import { createRedactor } from './logging/redactor.ts';
import { createServerLog } from './logging/server-log.ts';
import { openWhenAvailable } from './open-when-available.ts';
import { serve } from './serve.ts';
import type { HttpServer } from './serve.ts';
import { untilShutdown } from './shutdown.ts';
import type { Parts } from './tokens.ts';

/** Flags of a server's command line. They take precedence over the configuration. */
export interface RunServerOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port?: number | undefined;
  /** True to accept a state store or a digest key that differs from those of earlier starts. */
  readonly adoptState?: boolean | undefined;
  /** Called once the server listens. The result is disposed when it stops. */
  readonly onListening?: (server: ListeningServer) => Disposable;
  /** True to log errors only, for a caller that shows the rest. */
  readonly isQuiet?: boolean;
}

/** A server that listens, with its parts. */
export interface ListeningServer extends Pick<HttpServer, 'url' | 'hasConsole'> {
  readonly parts: Parts;
}

/**
 * Serves until SIGTERM, SIGINT or an uncaught exception and returns the exit code: 0, or 1 after an exception. Prints the
 * address to standard output and logs to standard error. If the state store is unavailable, it waits for it.
 * Takes over the process: it handles signals and uncaught exceptions.
 * @throws KernelError as `openMonolith` and `serve`
 */
export async function runServer(options: RunServerOptions): Promise<number> {
  // The configuration with its log level and secrets is not loaded yet.
  const faults = watchFaults(createServerLog({ level: 'error', redactor: createRedactor([]) }));
  await serveUntil(Promise.race([untilShutdown(), faults.fatal]), options, faults);
  return faults.exitCode;
}

async function serveUntil(
  shutdown: Promise<unknown>,
  { config, host, port, adoptState, onListening, isQuiet = false }: RunServerOptions,
  faults: Faults,
): Promise<void> {
  const waitLog = createServerLog({ level: 'error', redactor: createRedactor([]) });
  let isAnnounced = false;
  const opened = await openWhenAvailable({
    configPath: config,
    cwd: process.cwd(),
    env: process.env,
    logger(settings) {
      const logger = createServerLog(isQuiet ? { ...settings, level: 'error' } : settings);
      faults.logTo(logger);
      return logger;
    },
    isServer: true,
    adoptState,
    listen: { host, port },
    shutdown,
    waitLog,
    onWaiting(url) {
      isAnnounced = true;
      process.stdout.write(`listening on ${url}\n`);
    },
  });
  if (opened === undefined) return;
  await using monolith = opened.monolith;
  await using server = await serve(monolith, { host, port: opened.port });
  const aboutConsole = server.hasConsole ? `Open ${server.url} in a browser for the console.\n` : '';
  // Written at once: a program that reads the address may close the pipe after the first line.
  process.stdout.write(`${isAnnounced ? '' : `listening on ${server.url}\n`}${aboutConsole}`);
  const parts = partsOf(monolith.container);
  using _ = reloadOnSignal(parts);
  using __ = onListening?.({ url: server.url, hasConsole: server.hasConsole, parts });
  await shutdown;
}

// The end of a terminal sends this signal too, and ends a server that was started in it.
function reloadOnSignal({ reload, logger }: Pick<Parts, 'reload' | 'logger'>): Disposable {
  if (process.stdin.isTTY) return { [Symbol.dispose]() {} };
  const onSignal = (): void => void reload().catch((error: unknown) => logger.error('the reload failed', { error }));
  process.on('SIGHUP', onSignal);
  return { [Symbol.dispose]: () => void process.off('SIGHUP', onSignal) };
}
