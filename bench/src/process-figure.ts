import { fork } from 'node:child_process';
import { once } from 'node:events';
import { nextAnswer } from './sandboxes/next-answer.ts';
import type { RunnerAnswer } from './sandboxes/runner-child.ts';

/** The one figure that a module gives when it runs in a process of its own, where it may collect garbage. */
export async function processFigure(module: string, args: readonly string[]): Promise<number> {
  const child = fork(module, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: ['--expose-gc'] });
  const exited = once(child, 'exit');
  const answer = (await nextAnswer(child)) as RunnerAnswer;
  // Isolates that wait on threads keep a process from exiting by itself.
  child.kill('SIGKILL');
  await exited;
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.figure;
}
