import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Options of {@link spawnGroup}. */
export interface GroupOptions {
  /** Absolute path of the folder in which the program starts. */
  readonly cwd: string;
  /** Whole environment of the program: nothing of this process is added. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a program without a shell, in a process group of its own, so that {@link endGroup} also ends what it starts. */
export function spawnGroup(
  command: string,
  args: readonly string[],
  { cwd, env }: GroupOptions,
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(command, [...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

/**
 * Asks the group of a program to end, and kills it if the program is still there after `graceMs`. Resolves when the program has ended; what
 * is left of its group is killed then. A process that has left the group is not reached.
 */
export async function endGroup(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  graceMs = 1_000,
): Promise<void> {
  if (child.pid === undefined) return;
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (!hasEnded) {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }
  signalGroup(child, 'SIGKILL');
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}

function signalGroup(child: ChildProcessByStdio<Writable, Readable, Readable>, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}
