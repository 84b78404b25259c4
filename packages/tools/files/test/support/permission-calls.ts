import { realpathSync } from 'node:fs';
import { isKernelError, systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { createMemoryLogger, createToolContext } from '@ravi/testkit';
import plugin from '../../src/index.ts';

// Started by a test: makes calls without the privileges of an administrator, and sends the code of each failure, or "done".
const root = realpathSync(process.argv[2] ?? '');
const calls = JSON.parse(process.argv[3] ?? '') as readonly (readonly [tool: string, args: JsonObject])[];
const options = { root, maxFileBytes: 1_000_000, maxReadBytes: 1_000_000, requireRead: false };
const source = await plugin.create(options, { baseDir: root, clock: systemClock, logger: createMemoryLogger() });
const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}

async function codeOf(name: string, args: JsonObject): Promise<string> {
  const tool = open.content().tools.find((each) => each.name === name);
  if (tool === undefined || !('execute' in tool)) throw new TypeError(`no tool ${name}`);
  try {
    await tool.execute(args, { ...createToolContext(), storeArtifact: async () => 'blob_1' });
    return 'done';
  } catch (error) {
    if (!isKernelError(error) || error.message.includes(root)) throw error;
    return error.code;
  }
}

const outcomes: string[] = [];
for (const [tool, args] of calls) outcomes.push(await codeOf(tool, args));
process.send?.(outcomes, () => process.disconnect());
