import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const entry = join(import.meta.dirname, '../../src/main.ts');

const counter = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
export default [
  { name: 'add', description: 'Adds two numbers.\\nNothing else.', risk: 'safe',
    inputSchema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' }, b: { type: 'number' } } },
    outputSchema: { type: 'number' },
    execute: async ({ a, b }) => ({ content: [], isError: false, structuredContent: a + b }) },
  { name: 'launch', description: 'Leaves a line in a file.', risk: 'high', inputSchema: { type: 'object' },
    async execute() {
      await appendFile(join(import.meta.dirname, '../launches.txt'), 'launch\\n');
      return { content: [{ type: 'text', text: 'launched' }], isError: false };
    } },
  { name: 'wait', description: 'Says that it waits, and never ends.', inputSchema: {},
    execute: () => new Promise(() => console.error('waiting')) },
];`;

/** How a command line ended. */
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

/** What a run gets beside its arguments. */
export interface RunOptions {
  readonly input?: string;
  /** Sends this signal once standard error shows the text. */
  readonly signalAt?: { readonly text: string; readonly signal: NodeJS.Signals };
}

/** Makes a folder with a configuration, the tools `add`, `launch` and `wait`, and the given files. */
export async function createRavi(files: Readonly<Record<string, string>> = {}): Promise<Ravi> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-cli-'));
  const all = { 'ravi.config.json': '{ "tools": ["./tools"] }', 'tools/counter.mjs': counter, ...files };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return {
    folder,
    async run(args, { input = '', signalAt } = {}) {
      const child = spawn(process.execPath, [entry, ...args], { cwd: folder, env: { PATH: process.env['PATH'] } });
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
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
