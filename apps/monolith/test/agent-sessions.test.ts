import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

/** Source of a model that calls the tool that its first message names, and then repeats the result. */
const model = `
async function* stream({ messages }) {
  const last = messages.at(-1).content;
  const result = last.find(({ type }) => type === 'tool_result');
  const name = last.find(({ type }) => type === 'text')?.text ?? 'echo';
  const block = result === undefined
    ? { type: 'tool_use', id: 'call_' + messages.length, name, arguments: {} }
    : { type: 'text', text: 'done' };
  yield { type: 'block', block };
  yield { type: 'finish', reason: result === undefined ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;
const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };

async function openServer(): Promise<TestServer> {
  return startServer(config, { 'model.mjs': model }, { isServer: true });
}

async function until(url: string, runId: string, event: string): Promise<void> {
  for await (const received of readEvents(await fetch(`${url}/v1/runs/${runId}/events`))) {
    if (received.event === event) return;
  }
}

test('a message to a session with a live run is refused, names the run and does not disturb it', async () => {
  await using server = await openServer();
  const { body: first } = await server.post('/v1/runs', { kind: 'agent', task: 'wait' });
  await until(server.url, first.id, 'tool-call');
  const { sessionId } = first;
  const start = (): Promise<Answer> => server.post('/v1/runs', { kind: 'agent', task: 'echo', sessionId });
  const refused = await start();
  assert.deepEqual([refused.status, refused.body.error.code, refused.body.runId], [409, 'E_SESSION_BUSY', first.id]);
  assert.match(refused.body.error.message, new RegExp(`its run ${first.id} is running`));
  const asResponse = { input: 'echo', previous_response_id: `resp_${first.id}` };
  assert.equal((await server.post('/v1/responses', asResponse)).body.error.code, 'E_SESSION_BUSY');
  assert.equal((await server.get(`/v1/runs/${first.id}`)).body.status, 'running');
  assert.equal((await server.get(`/v1/runs?sessionId=${sessionId}`)).body.items.length, 1);

  await server.post(`/v1/runs/${first.id}/cancel`, {});
  await until(server.url, first.id, 'run-end');
  const next = await start();
  assert.equal(next.status, 201, JSON.stringify(next.body));
  await until(server.url, next.body.id, 'run-end');
  assert.equal((await server.get(`/v1/runs/${next.body.id}`)).body.status, 'completed');
});

test('a message to a session whose run is paused is refused until the run has ended', async () => {
  await using server = await openServer();
  const { body: first } = await server.post('/v1/runs', { kind: 'agent', task: 'launch' });
  await until(server.url, first.id, 'run-paused');
  const { sessionId } = first;
  const refused = await server.post('/v1/runs', { kind: 'agent', task: 'echo', sessionId });
  assert.equal(refused.body.error.code, 'E_SESSION_BUSY');
  assert.match(refused.body.error.message, /is paused; decide its approvals/);
});

test('of several messages that arrive at once at most one starts a run', async () => {
  await using server = await openServer();
  const task = { kind: 'agent', task: 'wait', sessionId: 'session_shared' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => server.post('/v1/runs', task)));
  const started = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ body }) => body.error?.code === 'E_SESSION_BUSY');
  assert.ok(started.length <= 1 && started.length + refused.length === 5, JSON.stringify(answers));
  const { body } = await server.get('/v1/runs?sessionId=session_shared&status=running');
  assert.equal(body.items.length, started.length);
});
