import type { ChildProcess } from 'node:child_process';

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
