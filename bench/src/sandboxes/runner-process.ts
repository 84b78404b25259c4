import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Contender } from '../interleave.ts';
import { ChildEnded, nextAnswer } from '../child-answers.ts';
import type { RunnerAnswer } from './runner-child.ts';
import type { RunnerName } from './runners.ts';
import type { Subject } from './subjects.ts';

/** Runner in its own process, so that its garbage and its crashes do not affect others. */
export interface RunnerProcess extends AsyncDisposable {
  contender(subject: Subject): Contender;
}

const runnerFile = fileURLToPath(new URL('./runner-child.ts', import.meta.url));

/** Starts the process, `file`, when it is first needed, and again after a crash. */
export function openRunnerProcess(name: RunnerName, file: string = runnerFile): RunnerProcess {
  let child: Promise<ChildProcess> | undefined;
  return {
    contender: (subject) => ({
      name,
      async measure() {
        child ??= startChild(file, name);
        try {
          return await ask(await child, subject.name);
        } catch (error) {
          if (error instanceof ChildEnded) child = undefined;
          throw error;
        }
      },
    }),
    async [Symbol.asyncDispose]() {
      const running = await child?.catch(() => undefined);
      if (running === undefined || running.exitCode !== null) return;
      const exited = once(running, 'exit');
      running.disconnect();
      await exited;
    },
  };
}

async function startChild(file: string, name: RunnerName): Promise<ChildProcess> {
  // Peers print a line about each call, which is not needed here.
  const child = fork(file, [name], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  await nextAnswer(child);
  return child;
}

async function ask(child: ChildProcess, subject: string): Promise<number> {
  const message = nextAnswer(child);
  child.send(subject);
  const answer = (await message) as RunnerAnswer;
  if ('failure' in answer) throw new Error(answer.failure);
  return answer.figure;
}
