import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RaviConfig } from '@ravi/host';

/** A folder on disk with a configuration and tools. */
export interface TestInstallation extends AsyncDisposable {
  readonly folder: string;
  readonly configPath: string;
  /** Returns one line per execution of the tool `launch`. */
  launches(): Promise<readonly string[]>;
}

/** Source of tools without imports, so that they load from any folder. `launch` appends to a file when it runs. */
const launchTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

const launch = (name, risk) => ({
  name,
  description: 'Leaves a line in a file.',
  risk,
  inputSchema: { type: 'object', properties: { target: { type: 'string' } }, additionalProperties: false },
  async execute({ target = 'nowhere' }) {
    await appendFile(join(import.meta.dirname, '../launches.txt'), name + ' ' + target + '\\n');
    return { content: [{ type: 'text', text: 'launched' }], isError: false };
  },
});
export default [launch('launch', 'high'), launch('detonate', 'critical')];
`;

const echoTool = `
export default {
  name: 'echo',
  description: 'Gives its arguments back.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  async execute(args) {
    return { content: [], isError: false, structuredContent: args };
  },
};
`;

const waitTool = `
export default {
  name: 'wait',
  description: 'Waits until its call is cancelled.',
  risk: 'safe',
  inputSchema: { type: 'object' },
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};
`;

/** Writes an installation into a new temporary folder; `files` adds or replaces files. */
export async function createInstallation(
  config: RaviConfig = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestInstallation> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-monolith-'));
  const all = {
    'ravi.config.json': JSON.stringify({ tools: ['./tools'], ...config }),
    'tools/launch.mjs': launchTool,
    'tools/echo.mjs': echoTool,
    'tools/wait.mjs': waitTool,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return {
    folder,
    configPath: join(folder, 'ravi.config.json'),
    async launches() {
      const text = await readFile(join(folder, 'launches.txt'), 'utf8').catch(() => '');
      return text.split('\n').filter(Boolean);
    },
    // A write that a cancelled run began may end after its server.
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
