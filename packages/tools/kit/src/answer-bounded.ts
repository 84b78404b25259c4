import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Message to a program of `runBounded`. */
export interface BoundedTask<Question> {
  readonly question: Question;
  readonly memoryMb: number;
}

/** Message of a program of `runBounded`. */
export type BoundedAnswer<Answer> =
  | { readonly answer: Answer }
  /** The program is loaded, and its time begins. */
  | { readonly isReady: true }
  | { readonly code: string; readonly message: string; readonly retryable: boolean };

/** Error that reaches the caller of `runBounded` as a KernelError. The program need not load the kernel, which takes time. */
export class WorkError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: `E_${string}`, message: string, { retryable = false }: { readonly retryable?: boolean } = {}) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

/**
 * Answers the one question of a process that `runBounded` started. A {@link WorkError} that `work` throws reaches the caller with its code;
 * any other error becomes `E_WORK_FAILED`. A thread ends the process when it has more memory than it may.
 */
export function answerBounded<Question, Answer>(work: (question: Question) => Promise<Answer> | Answer): void {
  const answer = async ({ question, memoryMb }: BoundedTask<Question>): Promise<BoundedAnswer<Answer>> => {
    const name = `./memory-watchdog${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    const watchdog = new Worker(new URL(name, import.meta.url), { workerData: memoryMb });
    watchdog.unref();
    await once(watchdog, 'message');
    process.send?.({ isReady: true });
    try {
      return { answer: await work(question) };
    } catch (error) {
      if (error instanceof WorkError) return { code: error.code, message: error.message, retryable: error.retryable };
      const message = error instanceof Error ? error.message : String(error);
      return { code: 'E_WORK_FAILED', message, retryable: false };
    }
  };
  process.once('message', (task: BoundedTask<Question>) => {
    // The caller ends the process once it has the answer.
    answer(task).then(
      (message) => process.send?.(message),
      () => process.exit(1),
    );
  });
}
