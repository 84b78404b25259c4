import assert from 'node:assert/strict';
import { defineTool, isKernelError } from '@ravi/kernel';
import type { Tool, ToolSource } from '@ravi/kernel';
import { openMonolith, serve, tokens } from '@ravi/monolith';
import { createTestToolSource, testSourceEntry, testSourcesPlugin } from '@ravi/testkit';
import { test } from 'vitest';
import { impatientClock } from './support/impatient-clock.ts';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

const toolOf = (name: string, text = name): Tool =>
  defineTool({ name, description: `Says ${text}.`, risk: 'safe', inputSchema: {}, execute: () => text });

const remote = (name: string, ...tools: readonly Tool[]): ReturnType<typeof createTestToolSource> =>
  createTestToolSource({ name, tools, status: { holdsChanges: false } });

function start(...sources: readonly ToolSource[]): Promise<TestServer> {
  return startServer({ plugins: { toolSource: sources.map(testSourceEntry) } }, { 'sources.mjs': testSourcesPlugin });
}

async function sourceOf(server: TestServer, name: string): Promise<Answer['body']> {
  return (await server.get('/v1/sources')).body.items.find((source: Answer['body']) => source.name === name);
}

const namesOf = ({ monolith }: TestServer): readonly string[] => monolith.container.resolve(tokens.toolbox).names();

/** Waits until the server has read a change. */
async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve));
}

test('tools of a running server come and go with their source, for calls, lists, searches and scripts', async () => {
  const source = remote('one', toolOf('a'));
  await using server = await start(source);
  assert.equal((await server.chain('return tools.a({})')).body.value, 'a');
  source.change([toolOf('b'), toolOf('c')]);
  await until(() => namesOf(server).includes('b'));
  assert.equal((await server.post('/v1/tools/a', {})).body.error.code, 'E_TOOL_UNKNOWN');
  assert.equal((await server.chain('return (await tools.b({})) + (await tools.c({}))')).body.value, 'bc');
  const found = await server.post('/v1/tools/search_tools', { args: { query: 'says c' } });
  assert.match(found.body.text, /c\(/);
  const { items } = (await server.get('/v1/tools')).body;
  assert.match(items.find(({ name }: Answer['body']) => name === 'tool_chain').description, /\bc\b/);
  source.change([]);
  await until(() => !namesOf(server).includes('b'));
  assert.equal((await server.post('/v1/tools/b', {})).body.error.code, 'E_TOOL_UNKNOWN');
});

test('tools of a source keep their place in the list, however late they come', async () => {
  const [first, second] = [remote('first'), remote('second', toolOf('x'))];
  await using server = await start(first, second);
  first.change([toolOf('a')]);
  await until(() => namesOf(server).includes('a'));
  assert.deepEqual(namesOf(server).slice(-8), [
    'a',
    'x',
    'search_tools',
    'describe_tool',
    'ask_user',
    'ask_clarification',
    'info',
    'tool_chain',
  ]);
});

test('a tool whose name is taken is refused until the other source drops it', async () => {
  const [first, second] = [remote('first', toolOf('a', 'first')), remote('second', toolOf('a', 'second'))];
  await using server = await start(first, second);
  const { failures } = await sourceOf(server, 'second');
  assert.match(failures[0].message, /a of second would shadow the tool of the same name of first/);
  assert.equal((await server.post('/v1/tools/a', {})).body.text, 'first');
  first.change([]);
  const toolbox = server.monolith.container.resolve(tokens.toolbox);
  await until(() => toolbox.sourceOf('a') === 'second');
  assert.equal((await server.post('/v1/tools/a', {})).body.text, 'second');
});

test('a tool that becomes a job brings the tools for jobs', async () => {
  const source = remote('one', toolOf('a'));
  await using server = await start(source);
  assert.equal(namesOf(server).includes('wait_job'), false);
  source.change([{ ...toolOf('a'), mode: 'background' }]);
  await until(() => namesOf(server).includes('wait_job'));
});

test('a tool of a source that lost its connection is absent with the reason, and returns with it', async () => {
  const source = createTestToolSource({ name: 'one', tools: [toolOf('a')] });
  await using server = await start(source);
  source.changeStatus({ state: 'failed', message: 'the program ended' });
  source.change([]);
  await until(() => !namesOf(server).includes('a'));
  const { error } = (await server.post('/v1/tools/a', {})).body;
  assert.deepEqual([error.code, error.message], ['E_TOOL_ABSENT', 'a is absent: its source one is not connected']);
  assert.deepEqual((await sourceOf(server, 'one')).message, 'the program ended');
  source.changeStatus({ state: 'ready' });
  source.change([toolOf('a')]);
  await until(() => namesOf(server).includes('a'));
  assert.equal((await server.post('/v1/tools/a', {})).body.text, 'a');
});

test('a source that fails to open, or to be read, is reported and hides no other; reconnecting opens it again', async () => {
  let isBroken = true;
  const broken = createTestToolSource({
    name: 'broken',
    tools: [toolOf('late')],
    async beforeOpen() {
      if (isBroken) throw new Error('no such program');
    },
  });
  const unreadable: ToolSource = {
    name: 'unreadable',
    open: async () => ({
      content() {
        throw new Error('no content');
      },
      async [Symbol.asyncDispose]() {},
    }),
  };
  await using server = await start(broken, unreadable, remote('good', toolOf('a')));
  assert.equal((await server.post('/v1/tools/a', {})).body.status, 'ok');
  const { state, message, failures } = await sourceOf(server, 'broken');
  assert.deepEqual([state, message, failures], ['failed', 'no such program', []]);
  assert.match((await sourceOf(server, 'unreadable')).failures[0].message, /cannot be read: no content/);
  assert.deepEqual(
    server.monolith.toolReport.failures.map(({ source }) => source),
    ['broken', 'unreadable'],
  );
  isBroken = false;
  assert.equal((await server.post('/v1/sources/broken/reconnect', '')).body.state, 'ready');
  assert.equal((await server.post('/v1/tools/late', {})).body.text, 'late');
});

test('a source that opens slowly does not delay the others beyond the limit, and its tools come later', async () => {
  const release = Promise.withResolvers<void>();
  const slow = createTestToolSource({ name: 'slow', tools: [toolOf('late')], beforeOpen: () => release.promise });
  const { clock, due } = impatientClock();
  const plugins = { toolSource: [slow, remote('good', toolOf('a'))].map(testSourceEntry) };
  const starting = startServer({ plugins }, { 'sources.mjs': testSourcesPlugin }, { clock });
  (await due)();
  await using server = await starting;
  assert.equal((await server.post('/v1/tools/a', {})).body.status, 'ok');
  assert.equal((await sourceOf(server, 'slow')).state, 'connecting');
  release.resolve();
  await until(() => namesOf(server).includes('late'));
  assert.equal((await server.post('/v1/tools/late', {})).body.text, 'late');
});

test('a storm of changes is read a few times and ends with the last one', async () => {
  const source = remote('one', toolOf('a'));
  await using server = await start(source);
  let reads = 0;
  for (let turn = 0; turn < 5_000; turn++) {
    source.change([
      new Proxy(toolOf(`a${turn}`), {
        get(tool, key, receiver) {
          if (key === 'inputSchema') reads++;
          return Reflect.get(tool, key, receiver) as unknown;
        },
      }),
    ]);
    if (turn % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => namesOf(server).includes('a4999'));
  assert.ok(reads < 500, `${reads} reads`);
});

test('two sources of the same name, and one with a name of the runtime, are mistakes of the configuration', async () => {
  const twice = start(remote('same'), { ...remote('other'), name: 'same' });
  await assert.rejects(twice, (error) => isKernelError(error, 'E_CONFIG_INVALID') && /"same"/.test(error.message));
  await assert.rejects(start(remote('built-in')), (error) => isKernelError(error, 'E_CONFIG_INVALID'));
});

test('sources are closed when the server ends, also one that is still opening', async () => {
  const opened = remote('opened', toolOf('a'));
  let reason: unknown;
  const opening = createTestToolSource({
    name: 'opening',
    beforeOpen: (signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(signal.reason as Error);
        }),
      ),
  });
  const { clock, due } = impatientClock();
  const plugins = { toolSource: [opened, opening].map(testSourceEntry) };
  const starting = startServer({ plugins }, { 'sources.mjs': testSourcesPlugin }, { clock });
  (await due)();
  const server = await starting;
  assert.equal(opened.openings, 1);
  await server[Symbol.asyncDispose]();
  assert.equal(opened.openings, 0);
  assert.ok(isKernelError(reason, 'E_CANCELLED'));
});

test('a run that waits for a tool of a source that opens after the start continues once the tool is there', async () => {
  const probe = { ...toolOf('probe', 'probed'), risk: 'high' as const };
  const source = createTestToolSource({ name: 'slow', tools: [probe] });
  await using server = await startServer(
    { plugins: { toolSource: [testSourceEntry(source)] }, approvals: { mode: 'pause' } },
    { 'sources.mjs': testSourcesPlugin },
    { isServer: true },
  );
  const { id } = (await server.post('/v1/runs', { kind: 'chain', code: 'return tools.probe({})' })).body;
  let run: Answer['body'];
  await until(async () => (run = (await server.get(`/v1/runs/${id}`)).body).status === 'paused');
  const [{ id: approvalId }] = run.pendingApprovals;
  const { folder: cwd, configPath } = server.installation;
  await server.shutDown();

  source.changeStatus({ state: 'connecting' });
  source.change([]);
  await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
  await using http = await serve(monolith, { port: 0, graceMs: 0 });
  const get = async (path: string): Promise<Answer['body']> => (await fetch(`${http.url}${path}`)).json();
  const body = JSON.stringify({ decision: 'approved' });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${http.url}/v1/approvals/${approvalId}/decision`, { method: 'POST', body, headers });
  await until(async () => (run = await get(`/v1/runs/${id}`)).error?.code === 'E_RUN_CHANGED');
  assert.equal(run.status, 'blocked');
  assert.deepEqual(run.block.needs, [{ kind: 'tool', name: 'probe', state: 'missing' }]);
  source.changeStatus({ state: 'ready' });
  source.change([probe]);
  await until(async () => (run = await get(`/v1/runs/${id}`)).status === 'completed');
  assert.match(JSON.stringify(run), /probed/);
});
