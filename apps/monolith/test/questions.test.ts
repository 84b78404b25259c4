import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';

const askTool = `export { askUserTool as default } from ${JSON.stringify(import.meta.resolve('@ravi/agents'))};`;

/** Source of a model that asks two questions in turn and repeats the answers. */
const model = `
async function* stream({ messages }) {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  const block = results.length < 2
    ? { type: 'tool_use', id: 'ask_' + results.length, name: 'ask_user', arguments: { question: 'Number ' + results.length + '?' } }
    : { type: 'text', text: results.map(({ content }) => content[0].text).join(' ') };
  yield { type: 'block', block };
  yield { type: 'finish', reason: results.length < 2 ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'asking', stream });
export default { name: 'asking', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

test('an answer to a callId that is sent twice answers one question', async () => {
  const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };
  const files = { 'model.mjs': model, 'tools/ask.mjs': askTool };
  await using server = await startServer(config, files, { isServer: true });
  const { body: begun } = await server.post('/v1/runs', { kind: 'agent', task: 'go' });
  const path = `/v1/runs/${begun.id}`;
  // The stream ends when the run is paused.
  const untilPaused = async (): Promise<readonly string[]> => {
    for await (const _ of readEvents(await fetch(`${server.url}${path}/events`)));
    const { body } = await server.get(path);
    return body.questions.map(({ callId }: { callId: string }) => callId);
  };
  assert.deepEqual(await untilPaused(), ['ask_0']);
  const answer = { ask_0: 'yes' };
  assert.equal((await server.post(`${path}/resume`, { answer })).status, 200);
  assert.deepEqual(await untilPaused(), ['ask_1']);
  const again = await server.post(`${path}/resume`, { answer });
  assert.deepEqual([again.status, again.body.error?.code], [409, 'E_STATE_CONFLICT']);
  assert.equal((await server.post(`${path}/resume`, { answer: { ...answer, ask_1: 'no' } })).status, 200);
  await untilPaused();
  assert.equal((await server.get(path)).body.status, 'completed');
});

test('an answer to one run does not answer another run of its session', async () => {
  const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };
  const files = { 'model.mjs': model, 'tools/ask.mjs': askTool };
  await using server = await startServer(config, files, { isServer: true });
  const begun: { readonly id: string; readonly sessionId: string }[] = [];
  for (const task of ['first', 'second']) {
    const session = begun[0] === undefined ? {} : { sessionId: begun[0].sessionId };
    const { body } = await server.post('/v1/runs', { kind: 'agent', task, ...session });
    begun.push(body);
    for await (const _ of readEvents(await fetch(`${server.url}/v1/runs/${body.id}/events`)));
    // The session is busy while a run waits for its answer.
    if (task === 'first') await server.post(`/v1/runs/${body.id}/cancel`, {});
  }
  const [first, second] = begun;
  const refused = await server.post(`/v1/runs/${first?.id}/resume`, { answer: 'yes' });
  assert.deepEqual([refused.status, refused.body.error?.code], [409, 'E_STATE_CONFLICT']);
  assert.equal((await server.get(`/v1/runs/${second?.id}`)).body.status, 'paused');
});
