import assert from 'node:assert/strict';
import type { AnyTool } from '@ravi/kernel';
import { foreignTool } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { Toolbox, ToolInvoker } from '../../src/index.ts';
import { recordingTool } from '../support/tools.ts';

const tools = (...names: readonly string[]): readonly AnyTool[] => names.map((name) => recordingTool(name));

test('a source replaces all its tools in one step, without a warning, and keeps its place and that of its names', () => {
  const logger = createMemoryLogger();
  const toolbox = new Toolbox([recordingTool('own')], { logger });
  toolbox.setSource('first', tools('a', 'b', 'c'));
  toolbox.setSource('second', tools('x'));
  const before = toolbox.all();
  assert.deepEqual(toolbox.setSource('first', tools('d', 'c', 'a')), []);
  assert.deepEqual(toolbox.names(), ['own', 'a', 'c', 'd', 'x']);
  assert.equal(toolbox.size, 5);
  assert.equal(before.length, 5);
  assert.deepEqual([toolbox.has('b'), toolbox.sourceOf('b'), toolbox.sourceOf('d')], [false, undefined, 'first']);
  assert.deepEqual(logger.records, []);
});

test('a source that opened without tools keeps its place for those that come later', () => {
  const toolbox = new Toolbox();
  toolbox.setSource('slow', []);
  toolbox.setSource('fast', tools('x'));
  toolbox.setSource('slow', tools('a'));
  assert.deepEqual(toolbox.names(), ['a', 'x']);
});

test('refused tools are returned with their position, and the others are added', () => {
  const toolbox = new Toolbox([recordingTool('taken')]);
  const nameless = { ...recordingTool('a'), name: 'not a name' };
  const throwing = Object.defineProperty({ ...recordingTool('b') }, 'name', {
    get() {
      throw new Error('no name');
    },
  });
  const refused = toolbox.setSource('mcp', [...tools('taken', 'good', 'good'), nameless, throwing]);
  assert.deepEqual(
    refused.map(({ index, error }) => [index, error.code]),
    [
      [0, 'E_TOOL_NAME_CONFLICT'],
      [2, 'E_TOOL_NAME_CONFLICT'],
      [3, 'E_TOOL_INVALID'],
      [4, 'E_TOOL_INVALID'],
    ],
  );
  assert.match(refused[0]?.error.message ?? '', /taken of mcp would shadow the tool of the same name of local/);
  assert.deepEqual(toolbox.names(), ['taken', 'good']);
});

test('no source has a tool with the name of requests for several approvals', () => {
  const toolbox = new Toolbox();
  const [refused, ...others] = toolbox.setSource('folder', tools('approve_calls', 'good'), { isOwn: true });
  assert.deepEqual(others, []);
  assert.equal(refused?.error.code, 'E_TOOL_NAME_CONFLICT');
  assert.match(refused?.error.message ?? '', /approve_calls of folder has the name of requests for the approval/);
  assert.throws(() => toolbox.add(recordingTool('approve_calls'), { source: 'snippets' }), /approve_calls of snippets/);
  assert.deepEqual(toolbox.names(), ['good']);
});

test('tools of a source are foreign unless the operator wrote them', () => {
  const toolbox = new Toolbox();
  toolbox.setSource('mcp', tools('foreign'));
  toolbox.setSource('folder', tools('own'), { isOwn: true });
  const isForeign = (name: string): unknown => (toolbox.get(name) as { readonly [foreignTool]?: boolean })[foreignTool];
  assert.deepEqual([isForeign('foreign'), isForeign('own')], [true, undefined]);
});

test('a name whose tool the source dropped is free for another source', () => {
  const toolbox = new Toolbox();
  toolbox.setSource('first', tools('a'));
  assert.equal(toolbox.setSource('second', tools('a')).length, 1);
  toolbox.setSource('first', []);
  assert.deepEqual(toolbox.setSource('second', tools('a')), []);
  assert.equal(toolbox.sourceOf('a'), 'second');
});

test('an absent tool has a reason until it returns, and a tool of another source with that name has none', () => {
  const toolbox = new Toolbox();
  toolbox.setSource('mcp', [], { absent: new Map([['a', 'its definition changed']]) });
  assert.deepEqual([toolbox.absenceOf('a'), toolbox.absenceOf('b')], ['its definition changed', undefined]);
  toolbox.setSource('other', tools('a'));
  assert.equal(toolbox.absenceOf('a'), undefined);
  toolbox.setSource('other', []);
  assert.equal(toolbox.absenceOf('a'), 'its definition changed');
  toolbox.setSource('mcp', tools('a'));
  assert.equal(toolbox.absenceOf('a'), undefined);
});

test('a call of an absent tool is stopped with the reason, unless the session may not know the tool', async () => {
  const toolbox = new Toolbox([recordingTool('other')]);
  toolbox.setSource('mcp', [], { absent: new Map([['mail__send', 'its definition changed']]) });
  const invoker = new ToolInvoker({ registry: toolbox });
  await using session = invoker.openSession();
  const { error } = await invoker.invoke({ name: 'mail__send', args: {} }, { session });
  assert.deepEqual([error?.code, error?.message], ['E_TOOL_ABSENT', 'mail__send is absent: its definition changed']);
  await using narrow = invoker.openSession({ allowedTools: ['other'] });
  const hidden = await invoker.invoke({ name: 'mail__send', args: {} }, { session: narrow });
  assert.equal(hidden.error?.code, 'E_TOOL_UNKNOWN');
});

test('a running call keeps its tool when the source replaces it, and the next call has the new one', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const answering = (text: string, wait?: Promise<void>): AnyTool => ({
    ...recordingTool('a', { risk: 'safe' }),
    async execute() {
      started.resolve();
      await wait;
      return { content: [{ type: 'text', text }], isError: false };
    },
  });
  const toolbox = new Toolbox();
  const invoker = new ToolInvoker({ registry: toolbox });
  toolbox.setSource('mcp', [answering('old', finish.promise)]);
  await using session = invoker.openSession();
  const running = invoker.invoke({ name: 'a', args: {} }, { session });
  await started.promise;
  toolbox.setSource('mcp', [answering('new')]);
  const next = await invoker.invoke({ name: 'a', args: {} }, { session });
  finish.resolve();
  assert.deepEqual([(await running).text, next.text], ['old', 'new']);
});
