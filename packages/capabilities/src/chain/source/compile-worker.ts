import { parentPort } from 'node:worker_threads';
import { compileScript } from './compile-script.ts';
import type { Compilation } from './compile-script.ts';
import { CompilerBrokenError, eraseTypes } from './erase-types.ts';

/** What the worker sends: once that it is ready, then one answer for each source it gets. */
export type CompileWorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'compiled'; readonly compilation: Compilation }
  /** This worker is of no further use. */
  | { readonly type: 'broken' };

parentPort?.on('message', (source: string) => parentPort?.postMessage(answer(source)));
parentPort?.postMessage({ type: 'ready' } satisfies CompileWorkerMessage);

function answer(source: string): CompileWorkerMessage {
  try {
    return { type: 'compiled', compilation: compileScript(source, eraseTypes) };
  } catch (error) {
    if (error instanceof CompilerBrokenError) return { type: 'broken' };
    throw error;
  }
}
