import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '@ravi/testkit';
import { createInstallation } from './installation.ts';
import { repository } from './repository.ts';

/** The reference server in a process of its own, over an installation that outlives it. */
export interface RealServer extends AsyncDisposable {
  /** The same after each restart. */
  readonly url: string;
  /** Folder of the configuration. */
  readonly folder: string;
  /** Folder of everything that the server keeps. */
  readonly dataFolder: string;
  /** Ends the process. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
}

const entry = join(repository, 'apps/monolith/src/main.ts');
const listening = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/;

/**
 * Starts the server as `npm start -- --config` does, with the scripted model. `changes` replace keys of its configuration, and
 * `files` are added to its folder.
 */
export async function startRealServer(
  changes: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<RealServer> {
  await using stack = new AsyncDisposableStack();
  const { folder, configPath } = stack.use(await createInstallation(changes, files));
  const dataFolder = join(folder, 'data');
  let child: ChildProcess | undefined;

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined) return;
    const over = once(child, 'close');
    child.kill(signal);
    child = undefined;
    await over;
  }

  async function start(port: string): Promise<string> {
    const started = spawn(process.execPath, [entry, '--config', configPath, '--port', port], {
      cwd: folder,
      // No key of a provider may switch to a real model.
      env: { ...childEnvironment(), RAVI_DATA: dataFolder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const errors: string[] = [];
    createInterface({ input: started.stderr }).on('line', (line) => errors.push(line));
    for await (const line of createInterface({ input: started.stdout })) {
      const [, url] = listening.exec(line) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error(`The server did not start:\n${errors.join('\n')}`);
  }

  stack.defer(() => end('SIGKILL'));
  const url = await start('0');
  const opened = stack.move();
  return {
    url,
    folder,
    dataFolder,
    end,
    async restart() {
      await start(new URL(url).port);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
