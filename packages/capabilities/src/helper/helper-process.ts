import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@ravi/kernel';

/** Sent by a helper once that it is ready, then once for each question, in order. */
export type HelperMessage<Answer> =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: Answer }
  /** This helper is of no further use. */
  | { readonly type: 'broken' };

/** What became of a question. */
export type HelperAnswer<Answer> =
  | { readonly status: 'answered'; readonly answer: Answer }
  | { readonly status: 'late' | 'broken' };

/**
 * A process that is asked one question at a time; it keeps this one alive only while something waits for it. A thread would
 * not do: one that runs out of memory can end the process around it.
 */
export interface HelperProcess<Question, Answer> {
  readonly isReady: boolean;
  /** Why it broke, for logs. */
  readonly failure: unknown;
  /** Waits for its start; `false` when it broke before. */
  start(): Promise<boolean>;
  /**
   * `late` after `timeLimitMs`, which include what is left of its start. After `broken`, and after `late` when it is
   * ready, the helper is of no further use.
   */
  ask(question: Question, timeLimitMs: number): Promise<HelperAnswer<Answer>>;
  /** Ends it at once; fulfilled when it is gone. */
  close(): Promise<void>;
}

/** Options of {@link openHelperProcess}. */
export interface HelperProcessOptions {
  /** The helper's program, without its extension, in the folder of `from`: as sources and as the built package. */
  readonly name: string;
  /** `import.meta.url` of the caller. */
  readonly from: string;
  /** What its heap may hold, in megabytes. */
  readonly heapMb: number;
  readonly clock: Clock;
}

/** Begins to start a helper: it reads files and does nothing else outside itself. */
export function openHelperProcess<Question, Answer>(options: HelperProcessOptions): HelperProcess<Question, Answer> {
  const { name, from, heapMb, clock } = options;
  const program = fileURLToPath(new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from));
  const child = fork(program, {
    env: {},
    // Much of what it makes is of no use after a question: room for it, so that it need not be moved about.
    execArgv: [
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
  let settle: (answer: HelperAnswer<Answer>) => void = () => undefined;

  function fail(reason: unknown): void {
    isBroken = true;
    failure ??= reason;
    start(false);
    settle({ status: 'broken' });
  }

  async function held<Value>(waiting: Promise<Value>): Promise<Value> {
    child.ref();
    child.channel?.ref();
    try {
      return await waiting;
    } finally {
      release();
    }
  }

  function release(): void {
    child.unref();
    child.channel?.unref();
  }

  child.on('message', (message: HelperMessage<Answer>) => {
    if (message.type === 'broken') return fail(new Error('The helper cannot go on'));
    if (message.type === 'ready') {
      isReady = true;
      return start(true);
    }
    // The answer to a question that was late.
    if (unwanted > 0) unwanted--;
    else settle({ status: 'answered', answer: message.answer });
  });
  child.on('error', (error) => {
    fail(error);
    // It did not start, so it will not end either.
    if (child.pid === undefined) markGone();
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', (code, signal) => {
    process.off('exit', kill);
    fail(new Error(existsSync(program) ? `The helper ended with ${signal ?? `exit code ${code}`}` : missing(program)));
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
        // What cannot be sent is told by the end of the process.
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
  return `There is no ${program}: leave @ravi/capabilities external when you bundle, or put its file there`;
}
