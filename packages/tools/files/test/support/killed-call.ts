import { readFileSync } from 'node:fs';
import { systemClock } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { createMemoryLogger, createToolContext } from '@ravi/testkit';
import plugin from '../../src/index.ts';

// Started by a test with a file that has the workspace and the calls to make. Kills itself at the wanted place of the last call, or waits to be killed.
const { root, calls, dieAt } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  readonly root: string;
  readonly calls: readonly (readonly [tool: string, args: JsonObject])[];
  readonly dieAt: 'begin' | 'end' | 'anywhere';
};
const die = (): void => void process.kill(process.pid, 'SIGKILL');
process.on('disconnect', () => process.exit(0));

const options = { root, maxFileBytes: 67_108_864, maxReadBytes: 8_388_608, requireRead: false };
const source = await plugin.create(options, { baseDir: root, clock: systemClock, logger: createMemoryLogger() });
const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
const find = (name: string): Tool => open.content().tools.find((tool) => tool.name === name) as Tool;

async function callAll(): Promise<void> {
  for (const [index, [tool, args]] of calls.entries()) {
    const isLast = index === calls.length - 1;
    const { scratchpad } = createToolContext();
    await find(tool).execute(args, {
      ...createToolContext(),
      idempotencyKey: `key-${index}`,
      storeArtifact: async () => 'blob_1',
      begin: async () => {
        if (isLast && dieAt === 'begin') die();
      },
      scratchpad: {
        ...scratchpad,
        // The content that the run knows is stored after the file was replaced.
        set: (key) => {
          if (isLast && dieAt === 'end' && key.startsWith('@files/read/')) die();
        },
        delete: () => {
          if (isLast && dieAt === 'end') die();
        },
      },
    });
  }
}

process.send?.('started');
do await callAll();
while (dieAt === 'anywhere');
