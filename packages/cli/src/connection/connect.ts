import { KernelError } from '@ravi/kernel';
import type { ApprovalMode } from '../approve.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import type { WarningSubject } from './open-here.ts';
import { watchTools } from './watch-tools.ts';

/** Options of {@link connect}. */
export interface ConnectOptions {
  /** True if calls may need a decision: the terminal, or `--approve`, decides unless the configuration does. */
  readonly decides?: boolean;
  /** True for a command that stays open: an installation in this process then resumes runs like a server. */
  readonly recovers?: boolean;
  /** True for a command about what is there already: it creates nothing in a folder that has no installation. */
  readonly needsInstallation?: boolean;
  /** Part of the configuration whose warnings the command prints itself, so that an installation in this process does not too. */
  readonly showsWarningsOf?: WarningSubject;
}

/**
 * Connects to the server that `--server` or `RAVI_SERVER` names, with the token of `RAVI_TOKEN`; without them opens the
 * installation in this process.
 * @throws KernelError `E_USAGE`, and as `openMonolith`
 */
export async function connect(
  invocation: Invocation,
  terminal: Terminal,
  { decides = false, recovers = false, needsInstallation = false, showsWarningsOf }: ConnectOptions = {},
): Promise<Connection> {
  const { config, approve } = invocation.values;
  const server = serverOf(invocation, terminal);
  if (server !== undefined) return connectTo(server, terminal.env['RAVI_TOKEN'] || undefined);
  // A command that uses a server does not need the runtime, which is slow to load.
  const { openHere } = await import('./open-here.ts');
  return openHere(
    { config, decides, approve: approve as ApprovalMode | undefined, recovers, needsInstallation, showsWarningsOf },
    terminal,
  );
}

/**
 * Returns the server that `--server` or `RAVI_SERVER` names; `undefined` for an installation in this process.
 * @throws KernelError `E_USAGE` if a configuration is named too
 */
export function serverOf({ values: { server, config } }: Invocation, { env }: Terminal): string | undefined {
  if (server !== undefined && config !== undefined) {
    throw new KernelError('E_USAGE', '--server and --config exclude each other: a server has its own configuration');
  }
  return server ?? (config === undefined ? env['RAVI_SERVER'] || undefined : undefined);
}

function connectTo(server: string, token: string | undefined): Connection {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new KernelError('E_USAGE', `"${server}" is not an address of a server; use one like http://127.0.0.1:7341`);
  }
  const onToolsChanged = (onChange: () => void): (() => void) => watchTools({ url: url.href, token, onChange });
  return createConnection({ url: url.href, isEmbedded: false, token, onToolsChanged });
}
