import assert from 'node:assert/strict';
import type { Tool } from '@ravi/kernel';
import { defineTool } from '@ravi/kernel';
import { test } from 'vitest';
import { createToolContext } from '../src/index.ts';
import { toolContract } from '../src/tool.ts';
import { failuresOf, runSuite } from './run-suite.ts';

const good: Tool = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  outputSchema: { type: 'number' },
  risk: 'safe',
  concurrency: { keys: ({ a }) => [`addend-${a}`] },
  classifyRisk: () => ({ risk: 'safe' }),
  execute: ({ a, b }) => a + b,
});

async function failures(change: Partial<Tool> = {}): Promise<readonly string[]> {
  return failuresOf(await runSuite((run) => toolContract(run, { ...good, ...change }, { a: 1, b: 2 })));
}

const result = { content: [], isError: false, structuredContent: 3 };

test('a good tool passes every test', async () => {
  assert.deepEqual(await failures(), []);
});

test('a tool with a bad name, an empty description or a hint of two lines fails', async () => {
  for (const change of [
    { name: 'add numbers' },
    { description: ' ' },
    { promptHint: 'a\nb' },
    { documentation: () => '' },
  ]) {
    assert.deepEqual(await failures(change), ['name and description say what the tool is'], JSON.stringify(change));
  }
});

test('a schema that is not an object schema, points to nothing or is not JSON fails', async () => {
  const properties = { a: { $ref: '#/$defs/gone' } };
  for (const inputSchema of [{ type: 'string' }, { type: 'object', properties }, { type: 'object', x: undefined }]) {
    assert.equal((await failures({ inputSchema })).length, 1, JSON.stringify(inputSchema));
  }
});

test('a check that refuses the sample call fails', async () => {
  const checkCall = (): never => {
    throw new TypeError('no');
  };
  assert.deepEqual(await failures({ checkCall }), ['the check before an approval passes the sample call']);
});

test('a tool whose risk changes between two looks fails', async () => {
  let looks = 0;
  const tool = {
    ...good,
    get risk() {
      return looks++ % 2 === 0 ? ('safe' as const) : ('high' as const);
    },
  };
  const report = await runSuite((run) => toolContract(run, tool, { a: 1, b: 2 }));
  assert.deepEqual(failuresOf(report), ['risk and flags have known values and do not change between two looks']);
});

test('a judgement that is random or unknown fails', async () => {
  let calls = 0;
  const name = ['the judgement of a call and its lock keys depend on the arguments alone'];
  assert.deepEqual(await failures({ concurrency: { keys: () => [`${calls++}`] } }), name);
  assert.deepEqual(await failures({ classifyRisk: () => ({ risk: 'none' as never }) }), name);
});

test('a result that fails, is incomplete or does not survive JSON fails', async () => {
  const bad = [
    { ...result, isError: true },
    { ...result, structuredContent: { at: new Date(0) } as never },
    { content: [], isError: false },
    { ...result, content: [{ type: 'text' } as never] },
    { ...result, content: [{ type: 'nonsense' } as never] },
  ];
  for (const outcome of bad) {
    const found = await failures({ execute: async () => ({ ...outcome }) });
    assert.ok(found.includes('the sample call succeeds with a complete result that keeps its arguments as they were'));
  }
});

test('a tool that writes into its arguments, shares a result or leaves a listener fails', async () => {
  assert.ok((await failures({ execute: async (args) => (((args as { a: number }).a = 5), { ...result }) })).length > 0);
  const shares = await failures({ execute: async () => result });
  assert.deepEqual(shares, ['calls at the same time all succeed and share nothing but what their context gives them']);
  const listens = await failures({
    async execute(_args, { signal }) {
      signal.addEventListener('abort', () => {});
      return { ...result };
    },
  });
  assert.deepEqual(listens, ['a finished call leaves no listener on its signal']);
});

test('a tool context checks its signal, has no blobs and keeps a scratchpad', async () => {
  const context = createToolContext({ signal: AbortSignal.abort() });
  assert.throws(() => context.check(), { code: 'E_CANCELLED' });
  await assert.rejects(context.blobs.resolve('x'), { code: 'E_BLOB_NOT_FOUND' });
  assert.equal(await context.blobs.stat('x'), undefined);
  context.scratchpad.set('key', 1);
  assert.equal(context.scratchpad.get('key'), 1);
  context.scratchpad.delete('key');
  assert.equal(context.scratchpad.get('key'), undefined);
});
