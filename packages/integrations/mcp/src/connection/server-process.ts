import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { StdioServerOptions } from '../options.ts';

/** Running server with its three streams. */
export type ServerProcess = ChildProcessByStdio<Writable, Readable, Readable>;

const endMs = 1_000;

/**
 * Starts a server in a process group of its own, so that everything it starts ends with it. Its environment is what the options name,
 * and `PATH`.
 */
export function startServer(options: StdioServerOptions): ServerProcess {
  return spawn(options.command, [...(options.args ?? [])], {
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

/**
 * Ends a server: closes its input, then asks its group to end, then kills it. Resolves when the process has ended. Processes of its
 * group that are left over are killed too.
 */
export async function endServer(server: ServerProcess): Promise<void> {
  const ended =
    server.exitCode !== null || server.signalCode !== null || server.pid === undefined
      ? Promise.resolve()
      : new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.stdin.destroy();
  if (!(await endsWithin(ended))) {
    signalGroup(server, 'SIGTERM');
    if (!(await endsWithin(ended))) signalGroup(server, 'SIGKILL');
    await ended;
  }
  signalGroup(server, 'SIGKILL');
  server.stdout.destroy();
  server.stderr.destroy();
}

async function endsWithin(ended: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), endMs);
  });
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function signalGroup(server: ServerProcess, signal: NodeJS.Signals): void {
  if (server.pid === undefined) return;
  try {
    if (process.platform === 'win32') server.kill(signal);
    else process.kill(-server.pid, signal);
  } catch {
    // The group has ended.
  }
}
