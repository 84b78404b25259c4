import { Worker } from 'node:worker_threads';
import { KernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import type { Compilation } from './compile-script.ts';
import type { CompileWorkerMessage } from './compile-worker.ts';

/** A thread that compiles one source at a time. */
export interface CompileThread {
  /** `late` after `timeLimitMs`. After `late` and `broken` the thread is of no further use. */
  compile(
    source: string,
    timeLimitMs: number,
    clock: Clock,
  ): Promise<Compilation | { readonly status: 'late' | 'broken' }>;
  close(): Promise<void>;
}

/**
 * Starts the thread; it holds the process only while it compiles.
 * @throws KernelError `E_INTERNAL` when it cannot start
 */
export async function openCompileThread(): Promise<CompileThread> {
  const worker = new Worker(workerFile(), { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256 } });
  let receive: (message: CompileWorkerMessage) => void = () => undefined;
  const started = new Promise<CompileWorkerMessage>((resolve) => (receive = resolve));
  let failure: unknown;
  worker.on('message', (message: CompileWorkerMessage) => receive(message));
  worker.on('error', (error) => (failure = error));
  worker.on('exit', () => receive({ type: 'broken' }));
  const first = await started;
  worker.unref();
  if (first.type !== 'ready')
    throw new KernelError('E_INTERNAL', 'The script compiler cannot start', { cause: failure });
  return {
    async compile(source, timeLimitMs, clock) {
      worker.ref();
      const answer = await new Promise<CompileWorkerMessage | 'late'>((resolve) => {
        const timer = clock.setTimer(() => resolve('late'), timeLimitMs);
        receive = (message) => {
          timer.cancel();
          resolve(message);
        };
        worker.postMessage(source);
      });
      worker.unref();
      if (answer === 'late') return { status: 'late' };
      return answer.type === 'compiled' ? answer.compilation : { status: 'broken' };
    },
    async close() {
      await worker.terminate();
    },
  };
}

// Both lie in one folder, as sources and as the built package.
function workerFile(): URL {
  return new URL(`./compile-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
