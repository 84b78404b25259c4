import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JsonObject, Tool, ToolContext } from '@ravi/kernel';
import { createFakeClock, createToolContext, runTool, settle } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { test } from 'vitest';
import plugin from '../src/index.ts';
import { createChannels, openTools } from './channels-double.ts';

const {
  send_message: send,
  read_messages: read,
  list_channels: list,
} = await openTools({ channels: createChannels() });
assert.ok(send && read && list);

pluginContract(test, plugin, {});
toolContract(test, send, { channel: 'contract', message: { a: 1 } });
toolContract(test, read, { channel: 'contract' });
toolContract(test, list, {});

let calls = 0;
const contextOf = (more: Partial<ToolContext> = {}): ToolContext =>
  createToolContext({ idempotencyKey: `call-${(calls += 1)}`, agent: 'host', ...more });

async function bodies(tool: Tool, args: JsonObject, context: ToolContext): Promise<unknown> {
  const { structuredContent } = await tool.execute(args, context);
  return (structuredContent as unknown as { messages: readonly { message: unknown }[] }).messages.map(
    ({ message }) => message,
  );
}

test('a message is sent after an approval, and each agent reads it once', async () => {
  const tools = await openTools({ channels: createChannels() });
  const sent = await runTool(tools['send_message']!, { channel: 'team', message: 'hello' }, { agent: 'host' });
  const [asked] = sent.approvals;
  assert.deepEqual([asked?.risk, asked?.summary], ['high', 'Send a message into the channel team']);
  const principal = asked?.principal ?? '';
  const readAs = (agent?: string): Promise<unknown> =>
    bodies(tools['read_messages']!, { channel: 'team' }, contextOf({ agent, principal }));
  assert.deepEqual(await readAs('reviewer'), ['hello']);
  assert.deepEqual(await readAs('reviewer'), []);
  assert.deepEqual(await readAs('writer'), ['hello']);
  assert.deepEqual(await readAs(undefined), ['hello']);
  const again = await bodies(tools['read_messages']!, { channel: 'team', after: 0 }, contextOf({ principal }));
  assert.deepEqual(again, ['hello'], '"after" reads again');
});

test('attempts of one call send once and read the same', async () => {
  const tools = await openTools({ channels: createChannels() });
  const sending = contextOf();
  for (const message of ['first', 'changed']) await tools['send_message']!.execute({ channel: 'c', message }, sending);
  const reading = contextOf();
  assert.deepEqual(await bodies(tools['read_messages']!, { channel: 'c' }, reading), ['first']);
  assert.deepEqual(await bodies(tools['read_messages']!, { channel: 'c' }, reading), ['first']);
  assert.deepEqual(await bodies(tools['read_messages']!, { channel: 'c' }, contextOf()), []);
});

test('principals with the same agent share neither channels nor positions', async () => {
  const tools = await openTools({ channels: createChannels() });
  for (const principal of ['ada', 'grace']) {
    await tools['send_message']!.execute({ channel: 'c', message: principal }, contextOf({ principal }));
  }
  for (const principal of ['ada', 'grace']) {
    assert.deepEqual(await bodies(tools['read_messages']!, { channel: 'c' }, contextOf({ principal })), [principal]);
    const { structuredContent } = await tools['list_channels']!.execute({}, contextOf({ principal }));
    assert.equal((structuredContent as { channels: readonly unknown[] }).channels.length, 1);
  }
});

test('a call waits for a message, at most as long as it says', async () => {
  const tools = await openTools({ channels: createChannels() });
  const clock = createFakeClock();
  const context = contextOf({ clock });
  const waiting = bodies(tools['read_messages']!, { channel: 'c', waitMs: 10_000 }, context);
  await settle();
  clock.advance(1_000);
  await tools['send_message']!.execute({ channel: 'c', message: 'late' }, contextOf());
  await settle();
  clock.advance(300);
  assert.deepEqual(await waiting, ['late']);
  const nothing = bodies(tools['read_messages']!, { channel: 'c', waitMs: 1_000 }, contextOf({ clock }));
  for (let step = 0; step < 8; step++) {
    await settle();
    clock.advance(200);
  }
  assert.deepEqual(await nothing, []);
});

test('a cancelled wait ends at once and moves no position', async () => {
  const tools = await openTools({ channels: createChannels() });
  const controller = new AbortController();
  const waiting = tools['read_messages']!.execute(
    { channel: 'c', waitMs: 300_000 },
    contextOf({ signal: controller.signal }),
  );
  controller.abort();
  await assert.rejects(waiting, (error) => isKernelError(error, 'E_CANCELLED'));
  await tools['send_message']!.execute({ channel: 'c', message: 'kept' }, contextOf());
  assert.deepEqual(await bodies(tools['read_messages']!, { channel: 'c' }, contextOf()), ['kept']);
});

test('an operator chooses the channels that need no approval', async () => {
  const tools = await openTools({ channels: createChannels() }, { unapproved: ['team-*'] });
  const tryTo = async (channel: string): Promise<string | undefined> =>
    (await runTool(tools['send_message']!, { channel, message: 1 }, { approves: false })).result.error?.code;
  assert.equal(await tryTo('team-a'), undefined);
  assert.equal(await tryTo('team'), 'E_APPROVAL_DENIED');
  assert.equal(await tryTo('news'), 'E_APPROVAL_DENIED');
});

test('without a store every tool says what to configure', async () => {
  for (const stateStore of [undefined, {}]) {
    const tools = await openTools(stateStore);
    for (const [name, args] of [
      ['send_message', { channel: 'c', message: 1 }],
      ['read_messages', { channel: 'c' }],
      ['list_channels', {}],
    ] as const) {
      const { result } = await runTool(tools[name]!, args);
      assert.equal(result.error?.code, 'E_UNSUPPORTED', name);
      assert.match(result.error?.message ?? '', /plugins\.stateStore/);
    }
  }
});

const names = ['', '../news', '/etc', 'a b', 'a\0', 'a\n', '*', '-a', 'ä', 'x'.repeat(101)];
const refused: readonly (readonly [Tool, JsonObject])[] = [
  ...names.map((channel) => [send, { channel, message: 1 }] as const),
  ...names.map((channel) => [read, { channel }] as const),
  [send, { channel: 'c' }],
  [send, { message: 1 }],
  [send, { channel: 5, message: 1 }],
  [send, { channel: 'c', message: 1, from: 'boss' }],
  [read, { channel: 'c', waitMs: -1 }],
  [read, { channel: 'c', waitMs: 300_001 }],
  [read, { channel: 'c', limit: 0 }],
  [read, { channel: 'c', limit: 201 }],
  [read, { channel: 'c', after: -1 }],
  [read, { channel: 'c', after: '0' }],
  [list, { principal: 'grace' }],
];

for (const [tool, args] of refused) {
  test(`${tool.name} refuses ${JSON.stringify(args).slice(0, 60)}`, async () => {
    const { result, approvals } = await runTool(tool, args);
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
    assert.deepEqual(approvals, []);
  });
}
