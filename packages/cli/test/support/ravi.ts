import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '@ravi/testkit';
import { createFolder } from './folder.ts';

const entry = join(import.meta.dirname, '../../src/main.ts');

/** Result of a command line. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The real command in a folder of its own. */
export interface Ravi extends AsyncDisposable {
  readonly folder: string;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
}

/** Options of a run of the command line. */
export interface RunOptions {
  readonly input?: string;
  /** Sends this signal once standard error shows the text. */
  readonly signalAt?: { readonly text: string; readonly signal: NodeJS.Signals };
}

/** Runs the command as a process of its own in a folder like that of {@link createFolder}. */
export async function createRavi(files: Readonly<Record<string, string>> = {}): Promise<Ravi> {
  const { folder, ...disposable } = await createFolder(files);
  return {
    folder,
    async run(args, { input = '', signalAt } = {}) {
      const child = spawn(process.execPath, [entry, ...args], { cwd: folder, env: childEnvironment() });
      child.stdin.end(input);
      let seen = '';
      child.stderr.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
        if (signalAt !== undefined && seen.includes(signalAt.text)) child.kill(signalAt.signal);
      });
      const [code, output, errors] = await Promise.all([
        new Promise<number | null>((resolve) => child.on('close', resolve)),
        text(child.stdout),
        text(child.stderr),
      ]);
      return { code, output, errors };
    },
    ...disposable,
  };
}
