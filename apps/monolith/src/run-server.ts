import { openMonolith } from './lifespan.ts';
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
 * Serves from this process until SIGTERM or SIGINT. Standard output says where, standard error is its log.
 * @throws KernelError as `openMonolith` and `serve`
 */
export async function runServer({ config, host, port }: RunServerOptions): Promise<void> {
  const shutdown = untilShutdown();
  await using monolith = await openMonolith({
    configPath: config,
    cwd: process.cwd(),
    env: process.env,
    logger: createServerLog,
    isServer: true,
  });
  await using server = await serve(monolith, { host, port });
  process.stdout.write(`listening on ${server.url}\n`);
  await shutdown;
}
