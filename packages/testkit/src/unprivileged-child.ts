import { pathToFileURL } from 'node:url';
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { JsonObject, Plugin } from '@ravi/kernel';
import { runTool } from '@ravi/invoker/testing';
import { createMemoryLogger } from './doubles/memory-logger.ts';
import { createTestBlobs } from './doubles/test-blobs.ts';
import type { UnprivilegedCalls, UnprivilegedOutcome } from './unprivileged.ts';

// The program of `callUnprivileged`.
const unprivilegedId = 65_534;
const task = JSON.parse(process.argv[2] ?? '') as UnprivilegedCalls;
const { default: plugin } = (await import(pathToFileURL(task.plugin).href)) as {
  readonly default: Plugin<'toolSource', JsonObject>;
};

if (process.getuid?.() === 0) {
  process.setgroups?.([unprivilegedId]);
  process.setgid?.(unprivilegedId);
  process.setuid?.(unprivilegedId);
}

const context = { baseDir: task.folder, clock: systemClock, logger: createMemoryLogger() };
const source = await plugin.create(task.options, context);
const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
const outcomes: UnprivilegedOutcome[] = [];
for (const [name, args] of task.calls) {
  const tool = open.content().tools.find((each) => each.name === name);
  if (tool === undefined || !isLocalTool(tool)) throw new TypeError(`There is no tool ${name}`);
  const { result } = await runTool(tool, args, { cwd: task.folder, artifactStore: createTestBlobs() });
  outcomes.push({ code: result.error?.code ?? 'ok', text: result.text });
}
await open[Symbol.asyncDispose]();
process.send?.(outcomes, () => process.disconnect());
