import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessByStdio, StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { endProcesses } from './end-processes.ts';

const markName = 'RAVI_PROCESS';

/** Options of {@link spawnTree}. */
export interface TreeOptions {
  /** Absolute path of the folder in which the program starts. */
  readonly cwd: string;
  /** Whole environment of the program, to which `RAVI_PROCESS` is added: nothing of this process is. */
  readonly env: Readonly<Record<string, string>>;
  /** Open files that the program has as its handles 3, 4 and so on. Only without `stdio`. Default: none. */
  readonly handles?: readonly number[];
}

/** Program, and all that it starts. */
export interface ProcessTree<Child extends ChildProcess = ChildProcess> {
  /** The first process. It leads a process group of its own. */
  readonly child: Child;
  /**
   * Ends the program and all that it started with SIGKILL, also after its own end. With `graceMs` it is asked to end first, and has that many
   * milliseconds. Resolves when nothing is left, or to false if a process could not be ended. Further calls return the same promise.
   */
  end(graceMs?: number): Promise<boolean>;
}

/**
 * Starts a program without a shell. On Linux its processes are those of its group and its session, those with a mark in their environment, and
 * what descends from them. So one that leaves its group and its session is ended too, unless it also clears its environment and its parent has ended. On
 * other systems its processes are those of its group.
 */
export function spawnTree(
  command: string,
  args: readonly string[],
  options: TreeOptions & { readonly stdio: StdioOptions },
): ProcessTree;
export function spawnTree(
  command: string,
  args: readonly string[],
  options: TreeOptions,
): ProcessTree<ChildProcessByStdio<Writable, Readable, Readable>>;
export function spawnTree(
  command: string,
  args: readonly string[],
  {
    cwd,
    env,
    handles = [],
    stdio = ['pipe', 'pipe', 'pipe', ...handles],
  }: TreeOptions & { readonly stdio?: StdioOptions },
): ProcessTree {
  const id = randomUUID();
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env, [markName]: id },
    stdio,
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let ending: Promise<boolean> | undefined;
  return { child, end: (graceMs = 0) => (ending ??= endTree(child, `${markName}=${id}`, graceMs)) };
}

async function endTree(child: ChildProcess, mark: string, graceMs: number): Promise<boolean> {
  if (child.pid === undefined) return true;
  if (graceMs > 0) await askToEnd(child, graceMs);
  if (process.platform === 'win32') child.kill('SIGKILL');
  else if (!(await endProcesses({ leader: child.pid, mark }))) return false;
  // The system shows that it has ended before Node has heard of it.
  if (!hasEnded(child)) await new Promise((resolve) => void child.once('exit', resolve));
  return true;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function askToEnd(child: ChildProcess, graceMs: number): Promise<void> {
  if (hasEnded(child)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', resolve);
  const timer = setTimeout(resolve, graceMs);
  try {
    if (process.platform === 'win32') child.kill('SIGTERM');
    else process.kill(-(child.pid as number), 'SIGTERM');
    await promise;
  } catch {
    // The group has ended.
  } finally {
    clearTimeout(timer);
    child.off('exit', resolve);
  }
}
