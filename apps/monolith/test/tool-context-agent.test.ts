import assert from 'node:assert/strict';
import { test } from 'vitest';
import { send, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';

/** A model that makes the calls of its task; `JOB0` and `JOB1` in their arguments are the ids of the jobs. It has one word for tools. */
const model = `
const usage = { inputTokens: 10, outputTokens: 10 };
async function* stream({ messages, system, tools }) {
  const [{ text }] = messages[0].content;
  const steps = text.startsWith('[') ? JSON.parse(text) : undefined;
  const done = messages.filter(({ role }) => role === 'assistant').length;
  const ids = [...new Set(JSON.stringify(messages.slice(1)).match(/job_[\\w-]+/g) ?? [])];
  const named = (args) => JSON.parse(JSON.stringify(args).replace(/JOB(\\d)/g, (_, index) => ids[index]));
  const calls = steps?.[done] ?? [];
  for (const [index, [name, args]] of calls.entries()) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + done + '_' + index, name, arguments: named(args) } };
  }
  const said = steps === undefined ? [text, system, tools.length].join(' ') : 'done';
  if (calls.length === 0) yield { type: 'block', block: { type: 'text', text: said } };
  yield { type: 'finish', reason: calls.length === 0 ? 'end' : 'tool-use', usage };
}
const create = () => ({ id: 'steps', stream });
export default { name: 'steps', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const tools = `
const { promise: released, resolve: release } = Promise.withResolvers();
const result = (value) => ({ content: [], isError: false, structuredContent: value });
const codeOf = (error) => error.code;
const safe = { description: 'd', risk: 'safe', runAfterResponse: true, inputSchema: { type: 'object' } };
const data = new TextEncoder().encode('a rose');
export default [
  { ...safe, name: 'draw', execute: async () =>
    ({ content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: data } }], isError: false }) },
  { ...safe, name: 'grow', mode: 'background', execute: async ({ name }, { signal }) => {
    const stopped = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await Promise.race([released, stopped]);
    return { content: [{ type: 'text', text: name + ' has grown' }], isError: false };
  } },
  { ...safe, name: 'look', execute: async (_args, { agent, files, run }) => {
    const [file] = files.list();
    const content = new TextDecoder().decode(await files.read(file.path));
    const { text, usage } = await run.llm({ prompt: 'Which flower?', system: 'Briefly.' });
    return result([agent, file.mediaType, content, await files.read('/none').catch(codeOf), text, usage.inputTokens]);
  } },
  { ...safe, name: 'tend', execute: async ({ keep, drop }, { jobs }) => {
    const before = jobs.get(keep).status;
    const stopped = [jobs.stop(drop, 'not needed'), (await jobs.wait(drop)).status, jobs.stop(drop, 'again')];
    release();
    const { status, tool, result: grown } = await jobs.wait(keep);
    return result([before, status, tool, grown.text, ...stopped, jobs.get('job_x') ?? null, await jobs.wait('job_x').catch(codeOf)]);
  } },
];`;

test('a tool reads the files and the jobs of its agent, and asks its model within the budget', async () => {
  await using server = await startServer(
    {
      agents: { florist: { tools: { allow: ['draw', 'grow', 'look', 'tend'] }, budget: { maxTokens: 100_000 } } },
      plugins: { modelProvider: [{ use: './model.mjs' }] },
    },
    { 'model.mjs': model, 'tools/garden.mjs': tools },
    { isServer: true },
  );
  const { url } = server;
  const grow = ['tulip', 'fern'].map((name) => ['grow', { name }]);
  const steps = [[['draw', {}]], [['look', {}]], grow, [['tend', { keep: 'JOB0', drop: 'JOB1' }]]];
  const run = await send(url, '/v1/runs', { kind: 'agent', agent: 'florist', task: JSON.stringify(steps) });
  const ended = await until(url, run.id, 'run-end');
  assert.equal(ended.status, 'completed', JSON.stringify(ended));

  const { items } = await send(url, `/v1/sessions/${run.sessionId}/history`);
  const resultOf = (callId: string): unknown => {
    for (const { message } of items) {
      for (const block of message.content) {
        if (block.type === 'tool_result' && block.toolUseId === callId) return JSON.parse(block.content[0].text);
      }
    }
    throw new Error(`no result of ${callId} in ${JSON.stringify(items)}`);
  };
  // The question has its own instructions, no tools, and nothing of the conversation.
  const looked = ['florist', 'image/png', 'a rose', 'E_BLOB_NOT_FOUND', 'Which flower? Briefly. 0', 10];
  assert.deepEqual(resultOf('call_1_0'), looked);
  const tended = ['running', 'completed', 'grow', 'tulip has grown', true, 'cancelled', false, null];
  assert.deepEqual(resultOf('call_3_0'), [...tended, 'E_ARGUMENTS_INVALID']);
  // The tokens of the question count for the run, like those of its five requests.

  assert.deepEqual([ended.usage.inputTokens, ended.usage.outputTokens], [60, 60]);
});
