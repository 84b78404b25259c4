import { Worker } from 'node:worker_threads';
import type { Clock } from '@ravi/kernel';

/** Sent by a worker once that it is ready, then once for each question, in order. */
export type WorkerMessage<Answer> =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: Answer }
  /** This worker is of no further use. */
  | { readonly type: 'broken' };

/** What became of a question. */
export type WorkerAnswer<Answer> =
  | { readonly status: 'answered'; readonly answer: Answer }
  | { readonly status: 'late' | 'broken' };

/** A thread that is asked one question at a time; it holds the process only while something waits for it. */
export interface WorkerThread<Question, Answer> {
  readonly isReady: boolean;
  /** Why it broke, for logs. */
  readonly failure: unknown;
  /** Waits for its start; `false` when it broke before. */
  start(): Promise<boolean>;
  /**
   * `late` after `timeLimitMs`, which include what is left of its start. After `broken`, and after `late` when it is
   * ready, the thread is of no further use.
   */
  ask(question: Question, timeLimitMs: number): Promise<WorkerAnswer<Answer>>;
  close(): Promise<void>;
}

/** Options of {@link openWorkerThread}. */
export interface WorkerThreadOptions {
  /** The worker's file, without its extension, in the folder of `from`: as sources and as the built package. */
  readonly name: string;
  /** `import.meta.url` of the caller. */
  readonly from: string;
  /** Of the heap, in megabytes, for what lives long and for what does not. */
  readonly memory: { readonly old: number; readonly young?: number };
  readonly clock: Clock;
}

/** Begins to start a thread. */
export function openWorkerThread<Question, Answer>(options: WorkerThreadOptions): WorkerThread<Question, Answer> {
  const { name, from, memory, clock } = options;
  const worker = new Worker(new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from), {
    env: {},
    execArgv: [],
    resourceLimits: {
      maxOldGenerationSizeMb: memory.old,
      ...(memory.young === undefined ? {} : { maxYoungGenerationSizeMb: memory.young }),
    },
  });
  const { promise: started, resolve: start } = Promise.withResolvers<boolean>();
  let isReady = false;
  let isBroken = false;
  let failure: unknown;
  let unwanted = 0;
  let settle: (answer: WorkerAnswer<Answer>) => void = () => undefined;

  function fail(): void {
    isBroken = true;
    start(false);
    settle({ status: 'broken' });
  }

  async function held<Value>(waiting: Promise<Value>): Promise<Value> {
    worker.ref();
    try {
      return await waiting;
    } finally {
      worker.unref();
    }
  }

  worker.on('message', (message: WorkerMessage<Answer>) => {
    if (message.type === 'broken') return fail();
    if (message.type === 'ready') {
      isReady = true;
      return start(true);
    }
    // The answer to a question that was late.
    if (unwanted > 0) unwanted--;
    else settle({ status: 'answered', answer: message.answer });
  });
  worker.on('error', (error) => (failure = error));
  worker.on('exit', fail);
  worker.unref();

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
      const answered = new Promise<WorkerAnswer<Answer>>((resolve) => {
        const timer = clock.setTimer(() => resolve({ status: 'late' }), timeLimitMs);
        settle = (answer) => {
          timer.cancel();
          resolve(answer);
        };
        worker.postMessage(question);
      });
      const answer = await held(answered);
      if (answer.status === 'late') unwanted++;
      return answer;
    },
    async close() {
      await worker.terminate();
    },
  };
}
