import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocalTool, systemClock } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import plugin from '@ravi/tools-lsp';
import { test } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'ravi-lsp-contract-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
writeFileSync(join(root, 'a.txt'), 'one two\n');

const command = [process.execPath, join(import.meta.dirname, 'support/scripted-server.ts'), 'pulls'];
const servers = { typescript: false, python: false, scripted: { command, extensions: ['.txt'] } } as const;
const context = { baseDir: root, clock: systemClock, logger: createMemoryLogger() };

pluginContract(test, plugin, { root, servers });

const closing = await plugin.create({ root, servers }, context);
toolSourceContract(test, () => ({ source: closing }));

const open = await (
  await plugin.create({ root, servers }, context)
).open({
  signal: AbortSignal.timeout(60_000),
  onChange: () => {},
});
const samples = {
  lsp_hover: { path: 'a.txt', symbol: 'one' },
  lsp_definition: { path: 'a.txt', symbol: 'one' },
  lsp_references: { path: 'a.txt', line: 1, column: 1 },
  lsp_diagnostics: { path: 'a.txt' },
  lsp_symbols: { path: 'a.txt' },
} as const;
for (const tool of open.content().tools) {
  const sample = Object.entries(samples).find(([name]) => name === tool.name)?.[1];
  if (isLocalTool(tool) && sample !== undefined) {
    toolContract(test, tool, sample);
  }
}
test('the source ends its servers', () => open[Symbol.asyncDispose]());
