import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { RunnerAnswer } from './sandboxes/runner-child.ts';

/** Error of a process that ended instead of replying. */
export class ChildEnded extends Error {}

const silenceLimitMs = 60_000;

/**
 * Waits for the next message of a process whose stderr is piped. A process that stays silent is killed.
 * @throws ChildEnded with the first error that it printed
 */
export function nextAnswer(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let errors = '';
    const silence = setTimeout(() => child.kill('SIGKILL'), silenceLimitMs);
    child.on('message', take);
    child.on('exit', refuse);
    child.stderr?.on('data', note);

    function note(chunk: Buffer): void {
      errors = `${errors}${chunk.toString()}`.slice(-4_000);
    }
    function take(message: unknown): void {
      settle();
      resolve(message);
    }
    function refuse(): void {
      settle();
      const cause = /^\w*Error: .*$/m.exec(errors)?.[0] ?? `no answer within ${silenceLimitMs} ms`;
      reject(new ChildEnded(`the host process died: ${cause}`));
    }
    function settle(): void {
      clearTimeout(silence);
      child.off('message', take);
      child.off('exit', refuse);
      child.stderr?.off('data', note);
    }
  });
}

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
