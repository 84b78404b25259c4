import type { JsonObject, Tool } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { describe, test } from 'vitest';
import plugin from '../src/index.ts';
import { createSearchTree } from './search-tree.ts';

const tree = createSearchTree();
process.once('exit', () => tree[Symbol.dispose]());
tree.write({ 'a.txt': 'needle' });

const context = { baseDir: tree.base, clock: createFakeClock(), logger: createMemoryLogger() };
pluginContract(test, plugin, {});
toolSourceContract(test, async () => ({ source: await plugin.create({ root: 'inside' }, context) }));

const samples: Readonly<Record<string, JsonObject>> = {
  glob: { pattern: '*.txt' },
  grep: { pattern: 'needle' },
  code_search: { pattern: 'needle', output: 'counts' },
  tree: {},
};
const source = await plugin.create({ root: 'inside' }, context);
const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
for (const tool of open.content().tools) {
  describe(tool.name, () => {
    toolContract(test, tool as Tool, samples[tool.name] ?? {});
  });
}
