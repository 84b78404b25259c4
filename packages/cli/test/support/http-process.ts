import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '@ravi/testkit';

const entry = join(import.meta.dirname, '../../src/main.ts');

/** `ravi mcp serve --http` in a process of its own. */
export interface HttpProcess extends AsyncDisposable {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  /** Exit code; `null` if a signal ended the process. */
  readonly exit: Promise<number | null>;
}

/** Starts `ravi mcp serve --http` in a folder. @throws Error with its last words if it ends instead of listening */
export async function startHttp(
  cwd: string,
  { args = ['--port', '0'], env = {} }: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<HttpProcess> {
  const child = spawn(process.execPath, [entry, 'mcp', 'serve', '--http', ...args], {
    cwd,
    env: { ...childEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /^listening on (http:\S+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exit.then((code) => reject(new Error(`exit code ${code}: ${errors}`)));
  });
  return {
    url,
    exit,
    signal: (name) => void child.kill(name),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
