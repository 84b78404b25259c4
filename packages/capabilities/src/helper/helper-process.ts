import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@ravi/kernel';

/** Message of a helper: `ready` once, then one message per question, in order. */
export type HelperMessage<Answer> =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: Answer }
  /** The helper can no longer be used. */
  | { readonly type: 'broken' };

/** Outcome of a question. */
export type HelperAnswer<Answer> =
  | { readonly status: 'answered'; readonly answer: Answer }
  | { readonly status: 'late' | 'broken' };

/**
 * A process that answers one question at a time. It keeps this process alive only while a caller waits for it. A thread
 * would not do: one that runs out of memory can end its process.
 */
export interface HelperProcess<Question, Answer> {
  readonly isReady: boolean;
  /** Reason of its failure, for logs. */
  readonly failure: unknown;
  /** Waits until it is ready; resolves to false if it failed before that. */
  start(): Promise<boolean>;
  /**
   * Asks a question. `late` after `timeLimitMs`, which include the rest of the start. After `broken`, and after `late` of a
   * helper that is ready, the helper can no longer be used.
   */
  ask(question: Question, timeLimitMs: number): Promise<HelperAnswer<Answer>>;
  /** Ends the process at once; resolves when it is gone. */
  close(): Promise<void>;
}

/** Options of {@link openHelperProcess}. */
export interface HelperProcessOptions {
  /** Program of the helper without its extension, in the folder of `from`, in the sources and in the built package. */
  readonly name: string;
  /** `import.meta.url` of the caller. */
  readonly from: string;
  /** Maximum size of its heap in megabytes. */
  readonly heapMb: number;
  readonly clock: Clock;
}

/**
 * Returns the options with which Node starts from a snapshot of a helper: its program and what it has loaded, in a file of the folder
 * `RAVI_HELPER_SNAPSHOTS`. None if that has no snapshot of this version of Node.
 */
function snapshotOptions(name: string): readonly string[] {
  const folder = process.env['RAVI_HELPER_SNAPSHOTS'];
  if (folder === undefined) return [];
  const file = join(folder, `${name}-${process.version}-${process.arch}.blob`);
  return existsSync(file) ? ['--snapshot-blob', file] : [];
}

/** Starts a helper process, which may read files and has no other access. */
export function openHelperProcess<Question, Answer>(options: HelperProcessOptions): HelperProcess<Question, Answer> {
  const { name, from, heapMb, clock } = options;
  const program = fileURLToPath(new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from));
  const child = fork(program, {
    env: {},
    // Most objects die with their question: a large young generation avoids copying them.
    execArgv: [
      ...snapshotOptions(name),
      '--permission',
      '--allow-fs-read=*',
      '--no-warnings',
      `--max-old-space-size=${heapMb}`,
      '--max-semi-space-size=32',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise: started, resolve: start } = Promise.withResolvers<boolean>();
  const { promise: gone, resolve: markGone } = Promise.withResolvers<void>();
  let isReady = false;
  let isBroken = false;
  let failure: unknown;
  let unwanted = 0;
  let waits = 0;
  let settle: (answer: HelperAnswer<Answer>) => void = () => undefined;

  function fail(reason: unknown): void {
    isBroken = true;
    failure ??= reason;
    start(false);
    settle({ status: 'broken' });
  }

  // Waits may overlap: the last one to end releases the process.
  async function held<Value>(waiting: Promise<Value>): Promise<Value> {
    waits++;
    child.ref();
    child.channel?.ref();
    try {
      return await waiting;
    } finally {
      if (--waits === 0) release();
    }
  }

  function release(): void {
    child.unref();
    child.channel?.unref();
  }

  child.on('message', (message: HelperMessage<Answer>) => {
    if (message.type === 'broken') return fail(new Error('The helper process cannot continue'));
    if (message.type === 'ready') {
      isReady = true;
      return start(true);
    }
    // The answer to a question that timed out.
    if (unwanted > 0) unwanted--;
    else settle({ status: 'answered', answer: message.answer });
  });
  child.on('error', (error) => {
    fail(error);
    // A process that did not start emits no `exit`.
    if (child.pid === undefined) markGone();
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', (code, signal) => {
    process.off('exit', kill);
    fail(
      new Error(
        existsSync(program) ? `The helper process ended with ${signal ?? `exit code ${code}`}` : missing(program),
      ),
    );
    markGone();
  });
  release();

  return {
    get isReady() {
      return isReady;
    },
    get failure() {
      return failure;
    },
    start: () => held(started),
    async ask(question, timeLimitMs) {
      if (isBroken) return { status: 'broken' };
      const answered = new Promise<HelperAnswer<Answer>>((resolve) => {
        const timer = clock.setTimer(() => resolve({ status: 'late' }), timeLimitMs);
        settle = (answer) => {
          timer.cancel();
          resolve(answer);
        };
        // A failed send is reported by the end of the process.
        child.send(question as object, () => {});
      });
      const answer = await held(answered);
      if (answer.status === 'late') unwanted++;
      return answer;
    },
    async close() {
      kill();
      await held(gone);
    },
  };
}

function missing(program: string): string {
  return `The file ${basename(program)} is missing: leave @ravi/capabilities external when you bundle`;
}
