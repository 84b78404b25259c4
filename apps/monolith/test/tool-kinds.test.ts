import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { play, startPlaying, useTool } from './support/playing-model.ts';
import { answer, approve, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import type { TestServer } from './support/server.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Tools of every kind, and tools that say what they need. */
const kinds = `
const text = (value) => ({ content: [{ type: 'text', text: value }], isError: false });
const tool = (name, execute, more = {}) =>
  ({ name, description: name + '.', risk: 'safe', inputSchema: { type: 'object' }, execute, ...more });
let arrived;
let alone = 0;
export default [
  { name: 'lookup', description: 'Run by the provider.', providerSpecs: { playing: { type: 'lookup_v1' } } },
  { name: 'elsewhere', description: 'Run by another provider.', providerSpecs: { 'openai/responses': { type: 'x' } } },
  {
    name: 'shell', description: 'In the shape of the provider.', risk: 'safe', callTypes: ['shell_call'],
    providerSpecs: { playing: { type: 'shell' } },
    handleCall: async ({ type, payload }) => text(type + ' ' + payload.command),
  },
  tool('photo', async () => ({
    content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array(Buffer.from('${png}', 'base64')) } }],
    isError: false,
  })),
  tool('meet', () => new Promise((resolve) => {
    if (arrived === undefined) return void (arrived = resolve);
    arrived(text('met'));
    resolve(text('met'));
  })),
  ...['alone', 'solitary'].map((name) => tool(name, async () => {
    alone += 1;
    await new Promise((resolve) => setImmediate(resolve));
    const together = alone;
    alone -= 1;
    return text('with ' + (together - 1));
  }, { concurrency: 'exclusive' })),
  tool('begin', async () => { globalThis.ravi_begin(); return text('began'); }, {
    promptHint: 'Begin before you do anything else.',
    documentation: () => 'It begins at once, while the model still writes.',
  }),
  tool('hang', () => new Promise(() => {})),
  tool('fail', async () => ({ content: [{ type: 'text', text: 'it is broken' }], isError: true })),
  tool('closed', async () => text('opened'), { allowedCallers: ['chain'] }),
];`;

const counter = `
import { defineStatefulTool } from ${JSON.stringify(import.meta.resolve('@ravi/agents'))};
export default defineStatefulTool({
  name: 'count', description: 'Adds what the model says.', risk: 'safe', inputSchema: { type: 'object' },
  async *execute() { const first = yield 'how many?'; const second = yield 'and then?'; return first.n + second.n; },
});`;

/** A tool that asks an agent of its own, and one that calls through an invoker of its own, without a store of artifacts. */
const inner = `
import { ReActAgent } from ${JSON.stringify(import.meta.resolve('@ravi/agents'))};
import { Toolbox, ToolInvoker } from ${JSON.stringify(import.meta.resolve('@ravi/invoker'))};
import provider from '../model.mjs';
const tool = (name, execute) => ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute });
const text = (value) => ({ content: [{ type: 'text', text: value }], isError: false });
const long = tool('long', async () => text('x'.repeat(10_000)));
export default [
  tool('ponder', async () => {
    const agent = new ReActAgent({ name: 'thinker', model: provider.create(), tools: [] });
    return text((await agent.run(JSON.stringify([[{ type: 'text', text: 'because' }]]))).text);
  }),
  tool('inline', async () => {
    const invoker = new ToolInvoker({ registry: new Toolbox([long]) });
    await using session = invoker.openSession();
    const { text: whole, artifactRef } = await invoker.invoke({ name: 'long', args: {} }, { session });
    return text(whole.length + ' ' + artifactRef);
  }),
  tool('unapproved', async () => {
    const toolbox = new Toolbox([{ ...long, name: 'risky', risk: 'high' }, long]);
    const invoker = new ToolInvoker({ registry: toolbox });
    await using session = invoker.openSession();
    const { status, error } = await invoker.invoke({ name: 'risky', args: {} }, { session });
    return text([toolbox.size, toolbox.names(), status, error.code].join(' '));
  }),
  tool('whoami', async (_args, { agent }) => text(String(agent))),
];`;

let server: TestServer;
beforeAll(async () => {
  server = await startPlaying(
    { policy: { callTimeoutMs: 1_000 } },
    { 'tools/kinds.mjs': kinds, 'tools/count.mjs': counter, 'tools/inner.mjs': inner },
  );
}, 60_000);
afterAll(() => server[Symbol.asyncDispose]());

test('a hosted tool is declared to its provider only, and no path of the server runs it', async () => {
  const { run, requests } = await play(server, [[useTool('a', 'lookup')]]);
  const declared = requests[0].tools.filter(({ type }: Body) => type === 'provider');
  assert.deepEqual(declared.map(({ name, spec }: Body) => [name, spec.type]).toSorted(), [
    ['lookup', 'lookup_v1'],
    ['shell', 'shell'],
  ]);
  const functions = requests[0].tools.filter(({ type }: Body) => type === 'function').map(({ name }: Body) => name);
  for (const name of ['photo', 'count', 'begin']) assert.ok(functions.includes(name), name);
  for (const name of ['lookup', 'shell', 'elsewhere']) assert.ok(!functions.includes(name), name);
  assert.equal(run.trace[0].errorCode, 'E_TOOL_NOT_CALLABLE');
  const { body: direct } = await server.post('/v1/tools/lookup', { args: {} });
  assert.equal(direct.error.code, 'E_TOOL_NOT_CALLABLE');
});

test('a provider-defined tool answers calls in the shape of its provider, and none of a script', async () => {
  const call = useTool('a', 'shell', { command: 'ls' }, { callType: 'shell_call' });
  assert.equal((await play(server, [[call]])).text, 'shell_call ls');
  const { body } = await server.chain(`return tools.shell({ command: 'ls' })`);
  assert.equal(body.error.code, 'E_TOOL_NOT_CALLABLE');
});

test('pictures of tools and of models are artifacts of the run', async () => {
  const picture = { type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: png } };
  const { run, text } = await play(server, [[picture, useTool('a', 'photo')]]);
  assert.deepEqual(
    run.artifacts.map(({ mediaType }: Body) => mediaType),
    ['image/png', 'image/png'],
  );
  const { body } = await server.chain(`const { files } = await tools.photo.safe({}); return files`);
  assert.match(JSON.stringify([body, text]), /\/workspace\/media\/[^"]*photo-0\.png/);
});

test('a stateful tool returns parts, and replies to them continue it', async () => {
  const { body } = await server.chain(`
    const parts = [await tools.count({})];
    const { id } = parts[0];
    parts.push(await tools.count_continue({ id, input: { n: 1 } }), await tools.count_continue({ id, input: { n: 2 } }));
    return parts.map(({ status, value }) => [status, value]);`);
  assert.deepEqual(body.value, [
    ['waiting', 'how many?'],
    ['waiting', 'and then?'],
    ['done', 3],
  ]);
});

test('calls of one response run at the same time, except those of exclusive tools', async () => {
  const calls = [useTool('a', 'meet'), useTool('b', 'meet'), useTool('c', 'alone'), useTool('d', 'solitary')];
  assert.equal((await play(server, [calls])).text, 'met | met | with 0 | with 0');
});

test('a safe call starts while the model still writes', async () => {
  const { text } = await play(server, [[useTool('a', 'begin'), { type: 'wait' }, { type: 'text', text: 'written' }]]);
  assert.equal(text, 'began');
});

test('the system prompt has the hints of tools, and info returns the documentation of one', async () => {
  const { text, requests } = await play(server, [[useTool('a', 'info', { tool: 'begin' })]]);
  assert.match(requests[0].system, /- begin: Begin before you do anything else\./);
  assert.equal(requests[0].system.split('Begin before you').length, 2);
  const declared = requests[0].tools.find(({ name }: Body) => name === 'begin');
  assert.deepEqual([declared.description, declared.parameters], ['begin.', { type: 'object' }]);
  assert.match(text, /# begin\n\nbegin\.\n\nIt begins at once/);
});

test('a call ends at its time limit, and a failure of a tool is its result', async () => {
  const { run, text } = await play(server, [[useTool('a', 'hang'), useTool('b', 'fail')]]);
  assert.deepEqual(run.trace.map(({ tool, status, errorCode }: Body) => [tool, status, errorCode]).toSorted(), [
    ['fail', 'error', 'E_TOOL_FAILED'],
    ['hang', 'timeout', 'E_CALL_TIMEOUT'],
  ]);
  assert.match(text, /callTimeoutMs.* \| it is broken/);
});

test('every call has one start, one end and one record, however it ends', async () => {
  const names = ['begin', 'fail', 'hang', 'lookup', 'closed', 'nowhere'];
  const { run } = await play(server, [names.map((name, index) => useTool(`call ${index}`, name))]);
  const ends = ['begin ok', 'closed denied', 'fail error', 'hang timeout', 'lookup error', 'nowhere error'];
  const endsOf = (items: readonly Body[]) => items.map(({ tool, status }: Body) => `${tool} ${status}`).toSorted();
  assert.deepEqual(endsOf(run.trace), ends);
  const seen: Record<'tool-call' | 'tool-result', Body[]> = { 'tool-call': [], 'tool-result': [] };
  for await (const { event, data } of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`))) {
    if (event === 'tool-call' || event === 'tool-result') seen[event].push(JSON.parse(data).data);
  }
  const started: readonly string[] = seen['tool-call'].map(({ tool }) => tool);
  assert.deepEqual(started.toSorted(), names.toSorted());
  assert.deepEqual(endsOf(seen['tool-result']), ends);
});

test('what a provider returns for its own tool goes back to it with the next request', async () => {
  const found = { type: 'unknown', source: 'playing', raw: { type: 'lookup_result', found: 7 } };
  const { run, requests } = await play(server, [[found, useTool('a', 'begin')], [{ type: 'text', text: 'seven' }]]);
  const [, answer] = requests[1].messages;
  assert.deepEqual(answer.content[0], found);
  assert.deepEqual(
    run.trace.map(({ tool }: Body) => tool),
    ['begin'],
  );
});

test('a tool knows the agent of its run, may ask one of its own, and may call without a store of artifacts', async () => {
  const calls = [useTool('a', 'whoami'), useTool('b', 'ponder'), useTool('c', 'inline')];
  assert.equal((await play(server, [calls])).text, 'ravi | because | 10000 undefined');
});

test('an invoker without an approver refuses each call that needs one', async () => {
  const { text } = await play(server, [[useTool('a', 'unapproved')]]);
  assert.equal(text, '2 risky,long denied E_APPROVAL_NO_HANDLER');
});

test('the wait for an approver is not part of the time limit of a call', async () => {
  const called = server.post('/v1/tools/launch', { args: { target: 'moon' } });
  let asked: Body;
  const waits = async (): Promise<boolean> => {
    [asked] = (await server.get('/v1/approvals?status=pending')).body.items;
    return asked !== undefined && Date.now() - asked.requestedAt > 1_000;
  };
  while (!(await waits()));
  await approve(server.url, asked);
  assert.equal((await called).body.text, 'launched');
});

test('a call of ask_clarification pauses its run until the user has answered', async () => {
  const steps = [[useTool('a', 'ask_clarification', { question: 'Which colour?' })]];
  const { body: begun } = await server.post('/v1/runs', { kind: 'agent', task: JSON.stringify(steps) });
  await until(server.url, begun.id, 'run-paused');
  const { questions, outcome } = await untilStatus(server.url, begun.id, 'paused');
  assert.deepEqual([questions[0].question, outcome], ['Which colour?', undefined]);
  await answer(server.url, begun.id, 'blue');
  assert.equal((await until(server.url, begun.id, 'run-end')).text, 'blue');
});

test('the figures of a tool count its calls and failures, with the time that they took', async () => {
  const figures = async (name: string): Promise<Body> => (await server.get(`/v1/tools/${name}`)).body.metrics;
  const [before, other] = [await figures('fail'), await figures('photo')];
  await server.post('/v1/tools/fail', { args: {} });
  await server.post('/v1/tools/photo', { args: {} });
  const [failed, succeeded] = [await figures('fail'), await figures('photo')];
  assert.deepEqual([failed.calls - before.calls, failed.errors - before.errors], [1, 1]);
  assert.deepEqual([succeeded.calls - other.calls, succeeded.errors - other.errors], [1, 0]);
  assert.ok(succeeded.p95 >= succeeded.p50 && succeeded.p50 > 0, JSON.stringify(succeeded));
});
