import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { KernelError } from '@ravi/kernel';
import { spawnTree } from '@ravi/tools-kit';

/** Command of git with all that it depends on. */
export interface GitCommand {
  readonly args: readonly string[];
  /** Absolute path of the folder in which it runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its input; none when absent. */
  readonly input?: string | Uint8Array | undefined;
  /** Open folders that the command has as its handles 3, 4 and so on. Default: none. */
  readonly handles?: readonly number[];
  /** Ends the command and all that it started. */
  readonly signal: AbortSignal;
  /** True for a command that can start programs, such as hooks and ssh: what they leave running is ended after it. Default: false. */
  readonly startsPrograms?: boolean;
}

/** End of a command. */
export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** At most 64 KiB of its end. */
  readonly stderr: string;
}

/** Limit of output that is read into memory. */
const maxOutputBytes = 16 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
/** Time in which git removes its locks, and what a clone has written so far. */
const graceMs = 1_000;

/** Reads the output of a running command and returns what it made of it. */
export type ReadOutput<Output> = (stdout: Readable, signal: AbortSignal) => Promise<Output>;

/**
 * Runs a command and reads its output into memory.
 * @throws KernelError `E_GIT_MISSING`, `E_GIT_OUTPUT` above 16 MiB, `E_CANCELLED`
 */
export async function runGit(command: GitCommand): Promise<GitResult> {
  const { output, ...end } = await readGit(command, readAll);
  return { ...end, stdout: output };
}

/** Runs a command whose output `read` consumes. If `read` fails, the command is ended. @throws KernelError `E_GIT_MISSING`, `E_CANCELLED` */
export async function readGit<Output>(
  { args, cwd, env, input, handles = [], signal, startsPrograms = false }: GitCommand,
  read: ReadOutput<Output>,
): Promise<Omit<GitResult, 'stdout'> & { readonly output: Output }> {
  if (signal.aborted) throw cancelled();
  const tree = spawnTree('git', args, { cwd, env, handles });
  const { child } = tree;
  const started = await once(child, 'spawn').catch((error: unknown) => error as NodeJS.ErrnoException);
  if (!Array.isArray(started)) throw missing(started);
  const exited = once(child, 'close') as Promise<[number | null]>;
  // What it has left running may hold its output open.
  if (startsPrograms) child.once('exit', () => void tree.end());
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(cancelled());
    void tree.end(graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  // A command that ends early does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  try {
    const [output, stderr] = await Promise.all([read(child.stdout, controller.signal), readTail(child.stderr)]);
    const [exitCode] = await exited;
    if (startsPrograms) await tree.end();
    if (signal.aborted) throw cancelled();
    return { exitCode: exitCode ?? 1, stderr, output };
  } catch (error) {
    await tree.end(graceMs);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    if (signal.aborted) throw cancelled();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readAll(stdout: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxOutputBytes) {
      throw new KernelError(
        'E_GIT_OUTPUT',
        'git wrote more than 16 MiB: ask for less, for example with "paths" or "limit"',
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readTail(stderr: Readable): Promise<string> {
  let tail = Buffer.alloc(0);
  for await (const chunk of stderr as AsyncIterable<Buffer>) {
    tail = Buffer.concat([tail, chunk]);
    if (tail.byteLength > 2 * maxErrorBytes) tail = Buffer.from(tail.subarray(-maxErrorBytes));
  }
  return tail.subarray(-maxErrorBytes).toString('utf8');
}

function cancelled(): KernelError {
  return new KernelError('E_CANCELLED', 'The git command was cancelled');
}

function missing(error: NodeJS.ErrnoException): KernelError {
  if (error.code !== 'ENOENT') return new KernelError('E_GIT_FAILED', 'git could not be started', { cause: error });
  return new KernelError(
    'E_GIT_MISSING',
    'git is not installed on this machine, or the folder is gone: install git 2.37 or later',
    {
      cause: error,
      hadNoEffect: true,
    },
  );
}
