import { fork } from 'node:child_process';
import { once } from 'node:events';
import { nextAnswer } from './sandboxes/next-answer.ts';
import type { RunnerAnswer } from './sandboxes/runner-child.ts';

/** Runs a module in its own process, where it may collect garbage, and returns the one figure that it prints. */
export async function processFigure(module: string, args: readonly string[]): Promise<number> {
  const child = fork(module, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: ['--expose-gc'] });
  const exited = once(child, 'exit');
  const answer = (await nextAnswer(child)) as RunnerAnswer;
  // Isolates that wait on threads keep a process from exiting on its own.
  child.kill('SIGKILL');
  await exited;
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.figure;
}
