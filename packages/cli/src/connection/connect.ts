import { KernelError } from '@ravi/kernel';
import type { ApprovalMode } from '../approve.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';

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
): Promise<Connection> {
  const { env } = terminal;
  if (server !== undefined && config !== undefined) {
    throw new KernelError('E_USAGE', '--server and --config exclude each other: a server has its own configuration');
  }
  const named = server ?? (config === undefined ? env['RAVI_SERVER'] || undefined : undefined);
  if (named !== undefined) return connectTo(named, env['RAVI_TOKEN'] || undefined);
  // A command that asks a server has no use for the runtime, which takes longer to load than the answer to come.
  const { openHere } = await import('./open-here.ts');
  return openHere({ config, decides, approve: approve as ApprovalMode | undefined }, terminal);
}

function connectTo(server: string, token: string | undefined): Connection {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new KernelError('E_USAGE', `"${server}" is no address of a server; one looks like http://127.0.0.1:7341`);
  }
  return createConnection({ url: url.href, isEmbedded: false, token });
}
