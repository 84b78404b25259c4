import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The reference server in a process of its own. A package cannot depend on it, because its console uses this client. */
export interface ServerProcess extends AsyncDisposable {
  /** The same after each restart. */
  readonly url: string;
  /** Ends the process at once and starts it again at the same address. */
  restart(): Promise<void>;
}

const repository = join(import.meta.dirname, '../../../..');
const entry = join(repository, 'apps/monolith/src/main.ts');
const listening = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/;

const add = `
export default {
  name: 'add',
  description: 'Adds two numbers.',
  risk: 'safe',
  inputSchema: {
    type: 'object',
    properties: { left: { type: 'number' }, right: { type: 'number' } },
    required: ['left', 'right'],
  },
  execute: async ({ left, right }) => ({ content: [], structuredContent: { sum: left + right }, isError: false }),
};
`;

const launch = `
export default {
  name: 'launch',
  description: 'Launches a rocket.',
  risk: 'high',
  inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: 'launched' }], isError: false }),
};
`;

/** Starts the server with two tools; `launch` needs an approval over HTTP. */
export async function startServer(config: object = {}): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-client-'));
  const configPath = join(folder, 'ravi.config.json');
  await mkdir(join(folder, 'tools'));
  await writeFile(configPath, JSON.stringify({ tools: ['./tools'], ...config }));
  await writeFile(join(folder, 'tools/add.mjs'), add);
  await writeFile(join(folder, 'tools/launch.mjs'), launch);
  let child: ChildProcess | undefined;

  async function end(): Promise<void> {
    if (child === undefined) return;
    const over = once(child, 'close');
    child.kill('SIGKILL');
    child = undefined;
    await over;
  }

  async function start(port: string): Promise<string> {
    const started = spawn(process.execPath, [entry, '--config', configPath, '--port', port], {
      cwd: folder,
      // Without the environment: no key of a provider may switch to a real model.
      env: { PATH: process.env['PATH'], RAVI_DATA: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const log: string[] = [];
    createInterface({ input: started.stderr }).on('line', (line) => log.push(line));
    for await (const line of createInterface({ input: started.stdout })) {
      const [, url] = listening.exec(line) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error(`The server did not start:\n${log.join('\n')}`);
  }

  const url = await start('0');
  return {
    url,
    async restart() {
      await end();
      await start(new URL(url).port);
    },
    async [Symbol.asyncDispose]() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
