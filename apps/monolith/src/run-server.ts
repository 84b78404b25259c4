import { watchFaults } from './faults.ts';
import type { Faults } from './faults.ts';
import { openMonolith } from './lifespan.ts';
import { createRedactor } from './logging/redactor.ts';
import { createServerLog } from './logging/server-log.ts';
import { serve } from './serve.ts';
import { untilShutdown } from './shutdown.ts';

/** What a command line says about a server; the configuration says the rest. */
export interface RunServerOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port?: number | undefined;
}

/**
 * Serves from this process until SIGTERM, SIGINT or an exception that nobody caught, and gives the exit code: 0, and 1
 * after an exception. Standard output says where, standard error is its log. The process is its own: signals and what
 * nobody catches are dealt with here.
 * @throws KernelError as `openMonolith` and `serve`
 */
export async function runServer(options: RunServerOptions): Promise<number> {
  // What the configuration says of the log and of secrets is not known yet.
  const faults = watchFaults(createServerLog({ level: 'error', redactor: createRedactor([]) }));
  await serveUntil(Promise.race([untilShutdown(), faults.fatal]), options, faults);
  return faults.exitCode;
}

async function serveUntil(
  shutdown: Promise<unknown>,
  { config, host, port }: RunServerOptions,
  faults: Faults,
): Promise<void> {
  await using monolith = await openMonolith({
    configPath: config,
    cwd: process.cwd(),
    env: process.env,
    logger(settings) {
      const logger = createServerLog(settings);
      faults.logTo(logger);
      return logger;
    },
    isServer: true,
  });
  await using server = await serve(monolith, { host, port });
  process.stdout.write(`listening on ${server.url}\n`);
  await shutdown;
}
