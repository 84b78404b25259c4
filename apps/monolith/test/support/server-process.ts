import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const entry = join(import.meta.dirname, '../../src/main.ts');
const bundle = join(import.meta.dirname, '../../bundle');
const listening = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/;

/** A server in its own process, started by its command. */
export interface ServerProcess extends Disposable {
  readonly child: ChildProcess;
  /** Returns the next line of its standard output, without the one about the console, which may not be built. */
  nextLine(): Promise<string>;
  /** Returns its address, from its first line; the same one each time. */
  url(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Sends a signal to the whole process group, like a terminal. Needs `ownGroup`. */
  signalAll(name: NodeJS.Signals): void;
  /** Exit code; `null` if a signal ended the process. */
  readonly exit: Promise<number | null>;
  /** Complete standard error. */
  readonly errors: Promise<string>;
}

/** Options of {@link startProcess}. */
export interface StartOptions {
  /** Modules that run first and may exchange messages with this process. */
  readonly preloads?: readonly string[];
  /** True if the server leads its own process group, which a Ctrl-C for the tests does not reach. */
  readonly ownGroup?: boolean;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `main` in a folder. Dispose it, so that even a failed test leaves no server running. */
export function startProcess(
  cwd: string,
  args: readonly string[],
  { preloads = [], ownGroup = false, env = {} }: StartOptions = {},
): ServerProcess {
  const before = preloads.flatMap((preload) => ['--import', preload]);
  const child = spawn(process.execPath, [...before, entry, ...args], {
    cwd,
    detached: ownGroup,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', preloads.length === 0 ? 'ignore' : 'ipc'],
  });
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const line = String((await lines.next()).value);
    return /^Open \S+ in a browser for the console\.$/.test(line) ? nextLine() : line;
  };
  const readUrl = async (): Promise<string> => {
    const line = await nextLine();
    const [, url] = listening.exec(line) ?? [];
    if (url === undefined) throw new Error(`expected the address of the server, got "${line}"`);
    return url;
  };
  // A second read would wait for a line that never comes.
  let address: Promise<string> | undefined;
  return {
    child,
    nextLine,
    url: () => (address ??= readUrl()),
    signal: (name) => void child.kill(name),
    signalAll: (name) => void process.kill(-(child.pid as number), name),
    exit: new Promise((resolve) => child.on('close', resolve)),
    errors: text(child.stderr as Readable),
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

/** True where {@link mainThreadMs} can be read. */
export const canMeasureThreads: boolean = existsSync('/proc/self/schedstat');

/** Processor time of the main thread of a server so far, in milliseconds, which does not depend on other programs. */
export function mainThreadMs({ child: { pid } }: Pick<ServerProcess, 'child'>): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Builds the bundle from which `npm start` starts a server, unless it is up to date. @throws Error if it cannot be built */
export function buildServer(): void {
  const args = [join(bundle, 'build.mjs'), '--if-changed'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The server could not be bundled: ${stderr}`);
}

let isBuilt = false;

/**
 * Starts a server on a free port from its bundle, as `npm start` does. That takes a third of the processor time of a start from
 * the sources, for tests that start many servers.
 */
export function startBundled(cwd: string, { preloads = [] }: Pick<StartOptions, 'preloads'> = {}): ServerProcess {
  if (!isBuilt) buildServer();
  isBuilt = true;
  return startProcess(cwd, ['--port', '0'], { preloads: [join(bundle, 'use.mjs'), ...preloads] });
}
