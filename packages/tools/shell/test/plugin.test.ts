import { pluginContract } from '@ravi/testkit/plugin';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { expect, test } from 'vitest';
import plugin from '../src/index.ts';
import { pluginParts } from './shell-workspace.ts';

const context = { ...pluginParts, baseDir: import.meta.dirname };

pluginContract(test, plugin, { root: '.' });
toolSourceContract(test, async () => ({ source: await plugin.create({ root: '.' }, context) }));

test('the configuration chooses tools, and a program before each command', async () => {
  const options = { root: '.', tools: ['bash'], wrapper: ['no-such-wrapper', '--flag'], env: { GREETING: 'hello' } };
  const source = await plugin.create(options, context);
  await using open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  const { tools } = open.content();
  expect(tools.map(({ name }) => name)).toEqual(['bash']);
});
