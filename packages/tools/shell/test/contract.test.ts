import assert from 'node:assert/strict';
import type { Tool } from '@ravi/kernel';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { describe, test } from 'vitest';
import plugin from '../src/index.ts';
import { createShellWorkspace, pluginParts } from './shell-workspace.ts';

const context = { ...pluginParts, baseDir: import.meta.dirname };
pluginContract(test, plugin, { root: '.' });
toolSourceContract(test, async () => ({ source: await plugin.create({ root: '.' }, context) }));

const workspace = createShellWorkspace();
process.once('exit', () => workspace[Symbol.dispose]());
workspace.write({
  'package.json': '{"scripts":{"test":"node --test"}}',
  'a.test.js': "require('node:test')('a', () => {})",
});
const samples = {
  bash: { command: 'echo x' },
  bash_background: { command: 'echo x' },
  code_exec: { code: 'print(1)' },
  python: { code: 'print(1)' },
  test_runner: {},
};
for (const [name, args] of Object.entries(samples)) {
  describe(name, () => {
    toolContract(test, workspace.tools.get(name) as Tool, args);
  });
}

test('the configuration chooses tools, and a program before each command', async () => {
  const options = { root: '.', tools: ['bash'], wrapper: ['no-such-wrapper', '--flag'], env: { GREETING: 'hello' } };
  const source = await plugin.create(options, context);
  await using open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  assert.deepEqual(
    open.content().tools.map(({ name }) => name),
    ['bash'],
  );
});
