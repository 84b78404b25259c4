import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@ravi/client';
import type { Client } from '@ravi/client';

const program = join(import.meta.dirname, '../src/main.ts');
const preload = join(import.meta.dirname, 'kill-at-commit.ts');

/** Folder of one story: the repository and the data of the server, which outlive the program. */
export interface Story extends AsyncDisposable {
  /** Returns the subjects of the commits, newest first, as git has them. */
  commits(): readonly string[];
  /** Returns what git prints. */
  git(...args: readonly string[]): string;
  /** Starts the program in this folder. */
  start(options?: StartOptions): Promise<RunningAgent>;
}

/** Options of a start. */
export interface StartOptions {
  readonly args?: readonly string[];
  /** Keys of providers come from these variables alone. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Kills the program right before it starts the commit, or right after the commit is in the repository. */
  readonly killAtCommit?: 'before' | 'after';
}

/** The program of this example in a process of its own. Disposing it kills the process. */
export interface RunningAgent extends AsyncDisposable {
  readonly client: Client;
  /** Returns the first group of the next line that matches. @throws Error if the program ends before */
  next(pattern: RegExp): Promise<string>;
  /** Ends it with a signal, and returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Signal that has ended it. */
  readonly killedBy: Promise<NodeJS.Signals | null>;
}

/** Opens a story in a new folder. */
export async function openStory(): Promise<Story> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-coding-agent-'));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: join(folder, 'repository'), encoding: 'utf8' }).trimEnd();
  return {
    git,
    commits: () => git('log', '--format=%s').split('\n'),
    start: (options = {}) => startAgent(folder, options),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startAgent(
  folder: string,
  { args = [], variables = {}, killAtCommit }: StartOptions,
): Promise<RunningAgent> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:OPENAI|ANTHROPIC|GOOGLE|RAVI)_/.test(name));
  const kill = killAtCommit === undefined ? {} : { KILL_AT_COMMIT: killAtCommit };
  const child = spawn(process.execPath, ['--import', preload, program, '--port', '0', '--folder', folder, ...args], {
    env: { ...Object.fromEntries(own), ...variables, ...kill },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (pattern: RegExp): Promise<string> => {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const [, found] = pattern.exec(line.value) ?? [];
      if (found !== undefined) return found;
    }
    throw new Error(`the program ended before ${pattern}`);
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await ended).code;
  };
  try {
    return {
      client: createClient({ baseUrl: await next(/^listening on (\S+)$/) }),
      next,
      end,
      killedBy: ended.then(({ signal }) => signal),
      [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}
