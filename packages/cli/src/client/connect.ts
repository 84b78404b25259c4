import { KernelError } from '@ravi/kernel';
import { openMonolith, tokens } from '@ravi/monolith';
import { embeddedApprovals } from '../approve.ts';
import type { ApprovalMode } from '../approve.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { createTextLogger } from '../text-logger.ts';
import { createClient } from './client.ts';
import type { Client } from './client.ts';

/** What a command needs beside what was typed. */
export interface ConnectOptions {
  /** Whether calls may wait for somebody: then the terminal, or `--approve`, decides where the configuration does not. */
  readonly decides?: boolean;
}

/**
 * The server that `--server` or `RAVI_SERVER` names, with the token of `RAVI_TOKEN`; without them the installation,
 * opened in this process.
 * @throws KernelError `E_USAGE`, and as `openMonolith`
 */
export async function connect(
  { values: { server, config, approve } }: Invocation,
  terminal: Terminal,
  { decides = false }: ConnectOptions = {},
): Promise<Client> {
  const { env, cwd, warn } = terminal;
  if (server !== undefined && config !== undefined) {
    throw new KernelError('E_USAGE', '--server and --config exclude each other: a server has its own configuration');
  }
  const named = server ?? (config === undefined ? env['RAVI_SERVER'] || undefined : undefined);
  if (named !== undefined) return connectTo(named, env['RAVI_TOKEN'] || undefined);
  const plugins = decides
    ? await embeddedApprovals({ configPath: config, cwd, env }, approve as ApprovalMode, terminal)
    : {};
  const logger = createTextLogger(warn);
  const monolith = await openMonolith({
    configPath: config,
    cwd,
    env,
    logger,
    plugins,
    isServer: true,
    ignoresTokens: true,
  });
  const app = monolith.container.resolve(tokens.httpApp);
  return createClient({
    url: 'http://localhost',
    isEmbedded: true,
    send: (request) => app.fetch(request),
    close: () => monolith[Symbol.asyncDispose](),
  });
}

function connectTo(server: string, token: string | undefined): Client {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new KernelError('E_USAGE', `"${server}" is no address of a server; one looks like http://127.0.0.1:7341`);
  }
  return createClient({ url: url.href, isEmbedded: false, token, send: (request) => fetch(request) });
}
