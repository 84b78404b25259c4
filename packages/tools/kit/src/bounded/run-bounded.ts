import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import type { BoundedAnswer, BoundedTask } from '../answer-bounded.ts';
import { createTurns } from './turns.ts';

/** Options of {@link runBounded}. */
export interface BoundedOptions {
  /** Program without its extension, in the folder of `from`, in the sources and in the built package. It calls `answerBounded` of `@ravi/tools-kit/bounded`. */
  readonly name: string;
  /** `import.meta.url` of the caller. */
  readonly from: string;
  /** Work of the program, for messages: `Reading the PDF`. */
  readonly what: string;
  /** Megabytes of memory of the process, buffers included. */
  readonly memoryMb: number;
  /** Milliseconds from the time when the process is ready to its answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Principal of the call: its work holds at most two of the four places. */
  readonly principal: string;
  /** Ends the process. */
  readonly signal: AbortSignal;
  /** Folder in which the process may write. Default: none. */
  readonly writes?: string;
}

/** A reader of hostile data can take all memory that it may: a few of them at once are enough. */
const turns = createTurns({ places: 4, placesOfOwner: 2, waitingOfOwner: 64 });
const maxStartMs = 60_000;

/**
 * Runs a program once, in a process of its own that may read files, but neither write others than in `writes` nor start programs. Its environment is empty. For work on data that others
 * wrote, and for libraries that cannot be interrupted.
 * @throws KernelError `E_WORK_BUSY` if 64 pieces of work of the principal wait, `E_WORK_TIMEOUT` and `E_WORK_MEMORY` at a limit, `E_CANCELLED`, `E_WORK_FAILED` if the process ends without an answer,
 * and the error of the program with its code
 */
export async function runBounded<Question, Answer>(options: BoundedOptions, question: Question): Promise<Answer> {
  using _turn = await turns.take(options.principal, options.signal);
  return await ask<Question, Answer>(options, question);
}

async function ask<Question, Answer>(options: BoundedOptions, question: Question): Promise<Answer> {
  const { what, memoryMb, timeoutMs, clock, signal } = options;
  if (signal.aborted) throw cancelled(what);
  const child = start(options);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  // A busy machine takes seconds to start a process.
  let timer = clock.setTimer(() => reject(new KernelError('E_WORK_FAILED', `${what} did not start`)), maxStartMs);
  const abort = (): void => reject(cancelled(what));
  signal.addEventListener('abort', abort, { once: true });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.on('message', (message: BoundedAnswer<Answer>) => {
    if ('isReady' in message) {
      timer.cancel();
      const late = new KernelError('E_WORK_TIMEOUT', `${what} took more than ${timeoutMs} ms`);
      timer = clock.setTimer(() => reject(late), timeoutMs);
    } else if ('answer' in message) resolve(message.answer);
    else reject(new KernelError(message.code, message.message, { retryable: message.retryable }));
  });
  child.once('error', reject);
  child.once('exit', (code, endedBy) => reject(endError(options, code, endedBy)));
  const task: BoundedTask<Question> = { question, memoryMb };
  // A failed send is reported by the end of the process.
  child.send(task, () => {});
  try {
    return await promise;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', abort);
    process.off('exit', kill);
    kill();
  }
}

function start({ name, from, memoryMb, writes }: BoundedOptions): ChildProcess {
  const program = fileURLToPath(new URL(`./${basename(name)}${from.endsWith('.ts') ? '.ts' : '.js'}`, from));
  return fork(program, {
    env: {},
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--allow-worker',
      ...(writes === undefined ? [] : [`--allow-fs-write=${writes}`]),
      '--no-warnings',
      '--disallow-code-generation-from-strings',
      `--max-old-space-size=${memoryMb}`,
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function endError({ what, memoryMb }: BoundedOptions, code: number | null, signal: NodeJS.Signals | null): KernelError {
  // The watchdog sends SIGTERM; V8 aborts when its heap is full.
  const isMemory = signal === 'SIGTERM' || signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134;
  if (isMemory) return new KernelError('E_WORK_MEMORY', `${what} needed more than ${memoryMb} MB of memory`);
  return new KernelError('E_WORK_FAILED', `${what} failed: its process ended with ${signal ?? `exit code ${code}`}`);
}

function cancelled(what: string): KernelError {
  return new KernelError('E_CANCELLED', `${what} was cancelled`);
}
