import assert from 'node:assert/strict';
import type { JsonObject, Tool } from '@ravi/kernel';
import { createToolContext, runTool } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { test } from 'vitest';
import plugin from '../src/index.ts';
import { createMemories, openTools } from './memory-double.ts';

const memories = createMemories();
const { remember, search_memory: search, forget, scratchpad } = await openTools({ memories });
assert.ok(remember && search && forget && scratchpad);

pluginContract(test, plugin, {});
toolContract(test, remember, { text: 'Grace likes tea', tags: ['likes'] });
toolContract(test, search, { query: 'tea' });
toolContract(test, forget, { id: 'mem_1' });
toolContract(test, scratchpad, { action: 'set', key: 'a', value: 1 });

test('what one call remembers another finds and forgets, and a person approves both changes', async () => {
  const kept = createMemories();
  const tools = await openTools({ memories: kept });
  const stored = await runTool(tools['remember']!, { text: 'Grace likes tea', tags: ['a', 'a'] }, { agent: 'host' });
  const [asked] = stored.approvals;
  assert.deepEqual([asked?.risk, asked?.summary], ['high', 'Remember for later runs: "Grace likes tea"']);
  assert.deepEqual([kept.all[0]?.agent, kept.all[0]?.tags], ['host', ['a']]);
  const { id } = stored.result.structured as { id: string };
  const found = await runTool(tools['search_memory']!, { query: 'tea' });
  assert.deepEqual(found.approvals, []);
  const [memory] = (found.result.structured as { memories: readonly JsonObject[] }).memories;
  assert.deepEqual([memory?.['id'], memory?.['text'], memory?.['agent']], [id, 'Grace likes tea', 'host']);
  const gone = await runTool(tools['forget']!, { id });
  assert.equal(gone.approvals[0]?.risk, 'critical');
  assert.deepEqual(gone.result.structured, { forgotten: true });
  assert.deepEqual((await runTool(tools['forget']!, { id })).result.structured, { forgotten: false });
});

test('without a query the newest are listed, and nothing is said to be nothing', async () => {
  const kept = createMemories();
  const tools = await openTools({ memories: kept });
  assert.match((await runTool(tools['search_memory']!, {})).result.text, /Nothing was found/);
  for (const text of ['first', 'second']) await runTool(tools['remember']!, { text });
  const { result } = await runTool(tools['search_memory']!, { query: '  ', limit: 1 });
  assert.deepEqual(
    (result.structured as { memories: readonly JsonObject[] }).memories.map(({ text }) => text),
    ['second'],
  );
});

test('attempts of one call store one memory, and other principals store their own', async () => {
  const kept = createMemories();
  const { remember: tool } = await openTools({ memories: kept });
  for (const principal of ['ada', 'ada', 'grace']) {
    await tool!.execute({ text: 'once' }, createToolContext({ principal, idempotencyKey: 'call-1' }));
  }
  assert.deepEqual(
    kept.all.map(({ principal }) => principal),
    ['ada', 'grace'],
  );
});

test('an operator who trusts agents has no approvals for what they remember', async () => {
  const { remember: tool, forget: other } = await openTools({ memories: createMemories() }, { trustAgents: true });
  assert.deepEqual((await runTool(tool!, { text: 'fact' }, { approves: false })).result.status, 'ok');
  assert.equal((await runTool(other!, { id: 'mem_1' }, { approves: false })).result.error?.code, 'E_APPROVAL_DENIED');
});

test('without a store every tool but the scratchpad says what to configure', async () => {
  for (const stateStore of [undefined, {}]) {
    const tools = await openTools(stateStore);
    for (const [name, args] of [
      ['remember', { text: 'x' }],
      ['search_memory', { query: 'x' }],
      ['forget', { id: 'x' }],
    ] as const) {
      const { result } = await runTool(tools[name]!, args);
      assert.equal(result.error?.code, 'E_UNSUPPORTED', name);
      assert.match(result.error?.message ?? '', /plugins\.stateStore/);
    }
    assert.equal((await runTool(tools['scratchpad']!, { action: 'list' })).result.status, 'ok');
  }
});

const refused: readonly (readonly [Tool, JsonObject])[] = [
  [remember, {}],
  [remember, { text: '' }],
  [remember, { text: 5 }],
  [remember, { text: 'x'.repeat(16_385) }],
  [remember, { text: 'x', tags: 'x' }],
  [remember, { text: 'x', tags: [''] }],
  [remember, { text: 'x', tags: ['x'.repeat(65)] }],
  [remember, { text: 'x', tags: Array.from({ length: 17 }, () => 'x') }],
  [remember, { text: 'x', more: 1 }],
  [search, { query: 5 }],
  [search, { query: 'x'.repeat(2_001) }],
  [search, { limit: 0 }],
  [search, { limit: 101 }],
  [search, { limit: 1.5 }],
  [forget, {}],
  [forget, { id: '' }],
  [forget, { id: 'x'.repeat(201) }],
  [scratchpad, {}],
  [scratchpad, { action: 'drop' }],
  [scratchpad, { action: 'get' }],
  [scratchpad, { action: 'set', key: 'a' }],
  [scratchpad, { action: 'set', key: '', value: 1 }],
  [scratchpad, { action: 'get', key: 'x'.repeat(257) }],
];

for (const [tool, args] of refused) {
  test(`${tool.name} refuses ${JSON.stringify(args).slice(0, 60)}`, async () => {
    const { result, approvals } = await runTool(tool, args);
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
    assert.deepEqual(approvals, []);
  });
}

test('a text whose bytes are too many is refused by the store', async () => {
  const { result } = await runTool(remember, { text: '漢'.repeat(16_000) });
  assert.equal(result.error?.code, 'E_STATE_INVALID');
});

test('binary text is remembered as it is, and the summary of the approval is plain text', async () => {
  const text = '\0\u001b[31m\ud800漢';
  const { result, approvals } = await runTool(remember, { text });
  assert.equal(result.status, 'ok');
  const summary = approvals[0]?.summary ?? '';
  assert.ok(summary !== '' && summary.isWellFormed() && !/\p{Cc}/u.test(summary));
});

test('a cancelled call stores nothing', async () => {
  const kept = createMemories();
  const tools = await openTools({ memories: kept });
  const context = createToolContext({ signal: AbortSignal.abort() });
  await assert.rejects(tools['remember']!.execute({ text: 'x' }, context));
  assert.equal(kept.all.length, 0);
});

test('the scratchpad neither shows nor changes the keys of tools', async () => {
  const context = createToolContext();
  context.scratchpad.set('@files/read/0', 'mark');
  const values = async (args: JsonObject): Promise<unknown> =>
    (await scratchpad.execute(args, context)).structuredContent;
  assert.deepEqual(await values({ action: 'list' }), { keys: [] });
  for (const action of ['get', 'set', 'delete']) {
    await assert.rejects(async () => values({ action, key: '@files/read/0', value: 'forged' }), {
      code: 'E_ARGUMENTS_INVALID',
    });
  }
  assert.equal(context.scratchpad.get('@files/read/0'), 'mark');
});

test('the scratchpad sets, gets, lists and deletes', async () => {
  const context = createToolContext();
  const values = async (args: JsonObject): Promise<unknown> =>
    (await scratchpad.execute(args, context)).structuredContent;
  assert.deepEqual(await values({ action: 'set', key: 'a', value: { b: [null] } }), { found: false });
  assert.deepEqual(await values({ action: 'set', key: '__proto__', value: 1 }), { found: false });
  assert.deepEqual(await values({ action: 'get', key: 'a' }), { value: { b: [null] }, found: true });
  assert.deepEqual(await values({ action: 'list' }), { keys: ['a', '__proto__'] });
  assert.deepEqual(await values({ action: 'delete', key: 'a' }), { found: true });
  assert.deepEqual(await values({ action: 'get', key: 'a' }), { value: null, found: false });
});
