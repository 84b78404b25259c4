import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const program = join(import.meta.dirname, '../src/main.ts');

/** The program of this example in a process of its own. Disposing it ends the process. */
export interface RunningDesk extends AsyncDisposable {
  /** Address of its server. */
  readonly url: string;
  /** Returns the first group of the next line that matches. @throws Error if the program ends before */
  next(pattern: RegExp): Promise<string>;
  /** Stops it as Ctrl+C does, and returns its exit code. */
  stop(): Promise<unknown>;
}

/** Starts the desk with these variables; keys of providers come from them alone. */
export async function startDesk(variables: NodeJS.ProcessEnv): Promise<RunningDesk> {
  const data = await mkdtemp(join(tmpdir(), 'ravi-support-desk-'));
  const own = Object.entries(process.env).filter(([name]) => !/^(?:OPENAI|ANTHROPIC|GOOGLE|RAVI)_/.test(name));
  const child = spawn(process.execPath, [program, '--port', '0'], {
    cwd: data,
    env: { ...Object.fromEntries(own), RAVI_DATA: data, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = new Promise((resolve) => child.on('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (pattern: RegExp): Promise<string> => {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const [, found] = pattern.exec(line.value) ?? [];
      if (found !== undefined) return found;
    }
    throw new Error(`the program ended before ${pattern}`);
  };
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
    await rm(data, { recursive: true, force: true });
  };
  try {
    return {
      url: await next(/^listening on (\S+)$/),
      next,
      stop() {
        child.kill('SIGTERM');
        return exit;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
