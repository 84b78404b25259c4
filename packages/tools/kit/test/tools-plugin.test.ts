import { defineTool, KernelError } from '@ravi/kernel';
import type { PluginContext } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { defineToolsPlugin } from '../src/index.ts';

const disposed: string[] = [];

const plugin = defineToolsPlugin({
  name: 'sample',
  options: { word: { type: 'string', default: 'hello' } },
  tools: {
    one: ({ word }: { readonly word: string }) =>
      defineTool({
        name: 'one',
        description: 'Says a word',
        inputSchema: { type: 'object' },
        execute: () => word,
      }),
    two: () => defineTool({ name: 'two', description: 'Two', inputSchema: { type: 'object' }, execute: () => '2' }),
  },
  open: ({ word }: { readonly word: string }) => ({
    word,
    async [Symbol.asyncDispose]() {
      disposed.push(word);
    },
  }),
});

const context: PluginContext = { baseDir: '/', clock: createFakeClock(), logger: createMemoryLogger() };

async function toolsOf(options: { readonly tools?: string[]; readonly prefix?: string }): Promise<string[]> {
  const source = await plugin.create({ word: 'x', ...options }, context);
  await using open = await source.open({ signal: AbortSignal.timeout(5_000), onChange: () => {} });
  return open.content().tools.map((tool) => tool.name);
}

test('offers the chosen tools in the order of the configuration, with a prefix', async () => {
  expect(await toolsOf({})).toEqual(['one', 'two']);
  expect(await toolsOf({ tools: ['two'], prefix: 'my_' })).toEqual(['my_two']);
  expect(disposed).toEqual(['x', 'x']);
});

test('a second source of a package with a prefix has a name of its own', async () => {
  expect((await plugin.create({ word: 'x' }, context)).name).toBe('sample');
  expect((await plugin.create({ word: 'x', prefix: 'my_' }, context)).name).toBe('my_sample');
  expect((await plugin.create({ word: 'x', prefix: 'my_', name: 'mine' }, context)).name).toBe('mine');
});

test('an option that is wrong is named with its source, because several sources may have the option', async () => {
  const broken = defineToolsPlugin({
    name: 'broken',
    options: {},
    tools: {},
    open(): object {
      throw new KernelError('E_CONFIG_INVALID', 'root: the folder "./nope" does not exist');
    },
  });
  const source = await broken.create({ prefix: 'my_' }, context);
  await expect(source.open({ signal: AbortSignal.timeout(5_000), onChange: () => {} })).rejects.toMatchObject({
    code: 'E_CONFIG_INVALID',
    message: 'my_broken: root: the folder "./nope" does not exist',
  });
});

test('names its tools in the schema, so that a misspelled one is an error of the configuration', () => {
  const schema = plugin.configSchema as { readonly properties: Readonly<Record<string, unknown>> };
  expect(schema.properties['tools']).toMatchObject({ items: { enum: ['one', 'two'] } });
  expect(schema.properties['word']).toEqual({ type: 'string', default: 'hello' });
});
