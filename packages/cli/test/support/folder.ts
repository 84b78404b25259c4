import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

/** A folder that is removed with everything in it. */
export interface Folder extends AsyncDisposable {
  readonly folder: string;
}

/** Makes a folder with a configuration, the tools `add`, `launch` and `wait`, and the given files. */
export async function createFolder(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-cli-'));
  const all = { 'ravi.config.json': '{ "tools": ["./tools"] }', 'tools/counter.mjs': counter, ...files };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
