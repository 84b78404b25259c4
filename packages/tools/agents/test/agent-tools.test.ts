import assert from 'node:assert/strict';
import { defineTool, isKernelError, silentLogger, systemClock, toolOrigin } from '@ravi/kernel';
import type { ChannelStore, InvocationResult, JsonObject, StateStore, Tool, ToolContext, ToolJob } from '@ravi/kernel';
import { createToolContext, runTool } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { test } from 'vitest';
import plugin from '../src/index.ts';

interface Sent {
  readonly channel: string;
  readonly id: string;
  readonly from: string;
  readonly message: unknown;
}

async function openTools(stateStore?: Partial<StateStore>, options = {}): Promise<Readonly<Record<string, Tool>>> {
  const more = stateStore === undefined ? {} : { stateStore: stateStore as StateStore };
  const source = await plugin.create(options, { baseDir: '/', clock: systemClock, logger: silentLogger, ...more });
  const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  return Object.fromEntries(open.content().tools.map((tool) => [tool.name, tool as Tool]));
}

function recording(): { readonly sent: readonly Sent[]; readonly stateStore: Partial<StateStore> } {
  const sent: Sent[] = [];
  const channels: Pick<ChannelStore, 'append'> = {
    async append({ channel }, message) {
      sent.push({ channel, id: message.id, from: message.from, message: message.message });
      return { ...message, number: sent.length };
    },
  };
  return { sent, stateStore: { channels: channels as ChannelStore } };
}

/** Context of an agent whose delegates answer with what they are asked. */
function leading(more: Partial<ToolContext> = {}, answer?: Partial<InvocationResult>): ToolContext {
  const context = createToolContext({ agent: 'lead', ...more });
  const tool: ToolContext['run']['tool'] = async (name, args) => ({
    status: 'ok',
    text: `${name}: ${JSON.stringify(args['task'])}`,
    files: [],
    ...answer,
  });
  return { ...context, run: { ...context.run, tool } };
}

const tools = await openTools(recording().stateStore);
const { spawn, join, group_add_node: addNode, group_channel: openChannel, group_wire: wire } = tools;
assert.ok(spawn && join && addNode && openChannel && wire);

pluginContract(test, plugin, {});
toolContract(test, openChannel, { name: 'talk', purpose: 'Plans' }, { context: { agent: 'lead' } });
toolContract(test, wire, { from: 'one', toMember: 'two' }, { context: { agent: 'lead' } });

test('a call that was spawned passes its own gates, and its failure is a failure', async () => {
  const inner = defineTool({
    name: 'inner',
    description: 'Doubles',
    risk: 'high',
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    execute: ({ n }) => ({ doubled: 2 * n }),
  });
  const made = await runTool(spawn, { tool: 'inner', arguments: { n: 21 } }, { tools: [inner] });
  assert.deepEqual(made.result.structured, { doubled: 42 });
  assert.deepEqual(
    made.approvals.map(({ tool }) => tool),
    ['inner'],
  );
  const denied = await runTool(spawn, { tool: 'inner', arguments: { n: 1 } }, { tools: [inner], approves: false });
  assert.match(denied.result.text, /E_APPROVAL_DENIED|denied/i);
  assert.equal(denied.result.status, 'error');
  const wrong = await runTool(spawn, { tool: 'inner', arguments: { n: 'x' } }, { tools: [inner] });
  assert.equal(wrong.result.status, 'error');
  const unknown = await runTool(spawn, { tool: 'none', arguments: {} });
  assert.equal(unknown.result.status, 'error');
});

test('join returns what has ended and the status of the others', async () => {
  const done: ToolJob = { id: 'a', tool: 't', status: 'completed', result: { status: 'ok', text: 'A', files: [] } };
  const running: ToolJob = { id: 'b', tool: 't', status: 'running' };
  const jobs = {
    get: (id: string) => [done, running].find((job) => job.id === id),
    wait: (id: string) => (id === 'a' ? Promise.resolve(done) : new Promise<ToolJob>(() => {})),
    stop: () => false,
  };
  const context = createToolContext({ jobs });
  const { structuredContent } = await join.execute({ ids: ['a', 'b'], waitMs: 0 }, context);
  assert.deepEqual(structuredContent, {
    jobs: [
      { id: 'a', status: 'completed', text: 'A' },
      { id: 'b', status: 'running', text: null },
    ],
  });
  await assert.rejects(join.execute({ ids: ['c'] }, context), (error) => isKernelError(error, 'E_ARGUMENTS_INVALID'));
  const cancelled = createToolContext({ jobs, signal: AbortSignal.abort() });
  await assert.rejects(join.execute({ ids: ['a'] }, cancelled), (error) => isKernelError(error, 'E_CANCELLED'));
});

test('the result of a member goes where it is wired, once for all attempts of its call', async () => {
  const { sent, stateStore } = recording();
  const { group_add_node: add, group_channel: open, group_wire: route } = await openTools(stateStore);
  const { scratchpad } = createToolContext();
  const opened = await open!.execute({ name: 'talk', purpose: 'Plans' }, leading({ scratchpad }));
  const { channel } = opened.structuredContent as { channel: string };
  assert.match(channel, /^group\.[0-9a-f]{12}\.talk$/);
  for (const to of [{ toChannel: 'talk' }, { toMember: 'two' }, { toMember: 'two' }]) {
    await route!.execute({ from: 'one', ...to }, leading({ scratchpad }));
  }
  const call = { scratchpad, idempotencyKey: 'call-one' };
  for (let attempt = 0; attempt < 2; attempt++) {
    const { content } = await add!.execute({ name: 'one', agent: 'writer', task: 'Write' }, leading(call));
    assert.match(JSON.stringify(content), /writer: .*You are the member one .*- talk: group\..*Write/);
  }
  const results = sent.filter(({ from }) => from === 'one');
  assert.equal(new Set(results.map(({ id }) => id)).size, 2, 'the same ids for both attempts');
  assert.deepEqual(new Set(results.map((each) => each.channel)), new Set([channel, channel.replace('talk', 'to.two')]));
  const late = route!.execute.bind(route, { from: 'one', toMember: 'three' }, leading({ scratchpad }));
  await assert.rejects(Promise.resolve().then(late), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  const again = add!.execute({ name: 'one', agent: 'writer', task: 'x' }, leading({ scratchpad, idempotencyKey: 'x' }));
  await assert.rejects(again, (error) => isKernelError(error, 'E_STATE_CONFLICT'));
});

test('a large result of a member is cut where it is sent, and says so', async () => {
  const { sent, stateStore } = recording();
  const { group_add_node: add, group_wire: route } = await openTools(stateStore);
  const { scratchpad } = createToolContext();
  await route!.execute({ from: 'one', toMember: 'two' }, leading({ scratchpad }));
  const answer = { text: '漢'.repeat(50_000), artifactRef: 'art_1' };
  await add!.execute({ name: 'one', agent: 'writer', task: 'x' }, leading({ scratchpad }, answer));
  const [message] = sent.map((each) => each.message as { text: string; isCut: boolean; artifactRef: string });
  assert.ok(message);
  const { text, isCut, artifactRef } = message;
  assert.ok(Buffer.byteLength(text) <= 32 * 1024 && text.length > 1_000);
  assert.deepEqual([isCut, artifactRef], [true, 'art_1']);
});

test('the tools of a group are marked for privileged agents, with any prefix', async () => {
  const named = await openTools(undefined, { name: 'crew', prefix: 'x_' });
  const origins = Object.values(named).map((tool) => (tool as { [toolOrigin]?: unknown })[toolOrigin]);
  const ofGroup = ['group_add_node', 'group_channel', 'group_wire'];
  assert.deepEqual(
    origins.filter((origin) => origin !== undefined),
    ofGroup.map((name) => ({ kind: 'privileged', source: 'crew', name })),
  );
});

test('without an agent there is no group, and without a store there are no channels', async () => {
  const calls: readonly (readonly [string, JsonObject])[] = [
    ['group_add_node', { name: 'a', agent: 'b', task: 'c' }],
    ['group_channel', { name: 'a', purpose: 'b' }],
    ['group_wire', { from: 'a', toMember: 'b' }],
  ];
  for (const [name, args] of calls) {
    assert.equal((await runTool(tools[name]!, args)).result.error?.code, 'E_UNSUPPORTED', name);
  }
  const without = await openTools();
  for (const [name, args] of calls.slice(1)) {
    const { result } = await runTool(without[name]!, args, { agent: 'lead' });
    assert.match(result.error?.message ?? '', /plugins\.stateStore/);
  }
  assert.equal((await runTool(join, { ids: ['a'] })).result.error?.code, 'E_UNSUPPORTED');
});

const names = ['', 'A', '../x', 'a b', '__proto__', 'a\0', 'x'.repeat(33), 5];
const refused: readonly (readonly [Tool, JsonObject])[] = [
  ...names.map((name) => [addNode, { name, agent: 'b', task: 'c' }] as const),
  ...names.map((name) => [openChannel, { name, purpose: 'b' }] as const),
  ...names.map((from) => [wire, { from, toMember: 'b' }] as const),
  [addNode, { name: 'a', agent: 'b', task: 'c', tools: ['bash'] }],
  [addNode, { name: 'a', agent: 'b', task: '' }],
  [openChannel, { name: 'a', purpose: 'x'.repeat(2_001) }],
  [wire, { from: 'a' }],
  [wire, { from: 'a', toChannel: 'b', toMember: 'c' }],
  [wire, { from: 'a', toMember: 'a' }],
  [wire, { from: 'a', toChannel: 'none' }],
  [wire, { from: 'a', toChannel: 'constructor' }],
  [spawn, { tool: 'a' }],
  [spawn, { tool: '', arguments: {} }],
  [spawn, { tool: 'a', arguments: [] }],
  [join, { ids: [] }],
  [join, { ids: ['a'], waitMs: 600_001 }],
  [join, { ids: Array.from({ length: 51 }, () => 'a') }],
];

for (const [tool, args] of refused) {
  test(`${tool.name} refuses ${JSON.stringify(args).slice(0, 70)}`, async () => {
    const { result } = await runTool(tool, args, { agent: 'lead' });
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID', result.text);
  });
}
