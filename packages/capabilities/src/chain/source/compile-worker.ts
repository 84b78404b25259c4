import { parentPort } from 'node:worker_threads';
import type { WorkerMessage } from '../../thread/worker-thread.ts';
import { compileScript } from './compile-script.ts';
import type { Compilation } from './compile-script.ts';
import { CompilerBrokenError, eraseTypes } from './erase-types.ts';

parentPort?.on('message', (source: string) => parentPort?.postMessage(answer(source)));
parentPort?.postMessage({ type: 'ready' } satisfies WorkerMessage<Compilation>);

function answer(source: string): WorkerMessage<Compilation> {
  try {
    return { type: 'answer', answer: compileScript(source, eraseTypes) };
  } catch (error) {
    if (error instanceof CompilerBrokenError) return { type: 'broken' };
    throw error;
  }
}
