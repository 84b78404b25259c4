import assert from 'node:assert/strict';
import { test } from 'vitest';
import { approve, pendingOf, send, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';

/** Makes calls of its own, and passes messages and values between calls of one run. */
const desk = `
const text = (value) => ({ content: [], isError: false, structuredContent: value });
const tool = (name, execute) =>
  ({ name, description: name, risk: 'safe', runAfterResponse: true, inputSchema: { type: 'object' }, execute });
export default [
  tool('both', async (_args, { run, scratchpad }) => {
    scratchpad.set('who', 'desk');
    const moon = run.spawn('launch', { target: 'moon' });
    const echoed = await run.tool('echo', { n: 1 });
    const launched = await run.join(moon);
    return text([echoed.structured, launched.status, launched.error?.code ?? 'none', run.uuid().length]);
  }),
  tool('post', async ({ message }, { channels }) => { channels.send('news', message); return text(null); }),
  tool('read', async (_args, { channels, scratchpad }) => text([await channels.receive('news'), scratchpad.get('who')])),
  tool('think', async (_args, { run }) => text(await run.llm({ prompt: 'Hi' }).catch((error) => error.code))),
];`;

test('calls that a tool makes pass the gates of a server, and its trace has them under it', async () => {
  const policy = { maxRiskUnapproved: 'high' } as const;
  await using server = await startServer({ policy }, { 'tools/desk.mjs': desk }, { isServer: true });
  const { body: direct } = await server.post('/v1/tools/both', { args: {} });
  assert.deepEqual(direct.structured, [{ n: 1 }, 'ok', 'none', 36]);

  const code = `
    const first = await tools.both({});
    const [heard] = await Promise.all([tools.read({}), tools.post({ message: { n: 7 } })]);
    return [first, heard, await tools.think({})];`;
  const { body: started } = await server.post('/v1/runs', { kind: 'chain', code });
  await until(server.url, started.id, 'run-end');
  const { body: run } = await server.get(`/v1/runs/${started.id}`);
  assert.deepEqual(run.outcome.result.value, [[{ n: 1 }, 'ok', 'none', 36], [{ n: 7 }, 'desk'], 'E_UNSUPPORTED']);
  const calls = run.trace.map(({ tool, callId, parentId = '' }: Record<string, string>) => [tool, callId, parentId]);
  const outer = calls.find(([tool]: readonly string[]) => tool === 'both')[1];
  assert.deepEqual(
    calls.filter(([tool]: readonly string[]) => tool === 'launch' || tool === 'echo'),
    [
      ['launch', `${outer}.call_1`, outer],
      ['echo', `${outer}.call_2`, outer],
    ],
  );
  assert.deepEqual(await server.installation.launches(), ['launch moon', 'launch moon']);
});

test('a risky call inside a safe tool waits for its own approval, and does not run when it is denied', async () => {
  await using server = await startServer({}, { 'tools/desk.mjs': desk }, { isServer: true });
  const { id } = await send(server.url, '/v1/runs', { kind: 'chain', code: 'return await tools.both({})' });
  const [pending] = await pendingOf(server.url, id, 1);
  assert.deepEqual([pending.tool, pending.callId.split('.').length], ['launch', 2]);
  await approve(server.url, pending, { decision: 'denied' });
  await until(server.url, id, 'run-end');
  const { body: run } = await server.get(`/v1/runs/${id}`);
  assert.deepEqual(run.outcome.result.value.slice(1, 3), ['denied', 'E_APPROVAL_DENIED']);
  assert.deepEqual(await server.installation.launches(), []);
});

/** Listens to all agents of its run, and tells them and the own run something. */
const radio = `
const tool = (name, execute) => ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute });
const text = (value) => ({ content: [{ type: 'text', text: value }], isError: false });
export default [
  tool('listen', async (_args, { sharedChannels }) => text('heard ' + await sharedChannels.receive('news'))),
  tool('tell', async (_args, { channels, sharedChannels }) => {
    channels.send('news', 'a secret');
    sharedChannels.send('news', 'hello');
    return text('told ' + await channels.receive('news'));
  }),
];`;

/** Listens while its delegate works, which tells something. Ends with the results of its calls. */
const talkingModel = `
async function* stream({ messages, tools }) {
  const results = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result');
  const isCaller = tools.some(({ name }) => name === 'helper');
  const calls = isCaller ? [['listen', {}], ['helper', { task: 'Tell it' }]] : [['tell', {}]];
  const usage = { inputTokens: 1, outputTokens: 1 };
  if (results.length > 0) {
    yield { type: 'block', block: { type: 'text', text: results.map(({ content }) => content[0].text).join(', ') } };
    return yield { type: 'finish', reason: 'end', usage };
  }
  for (const [name, args] of calls) yield { type: 'block', block: { type: 'tool_use', id: name, name, arguments: args } };
  yield { type: 'finish', reason: 'tool-use', usage };
}
const create = () => ({ id: 'talking', model: 'talking', stream });
export default { name: 'talking', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

test('an agent hears over a shared channel what its delegate says, and nothing of the own channels of that', async () => {
  const config = {
    plugins: { modelProvider: [{ use: './model.mjs' }] },
    agent: { delegates: ['helper'] },
    agents: { helper: { tools: { allow: ['tell'] } } },
  };
  const files = { 'tools/radio.mjs': radio, 'model.mjs': talkingModel };
  await using server = await startServer(config, files, { isServer: true });
  const { id } = await send(server.url, '/v1/runs', { kind: 'agent', task: 'Listen' });
  const ended = await until(server.url, id, 'run-end');
  assert.equal(ended.text, 'heard hello, told a secret', JSON.stringify(ended));
});
