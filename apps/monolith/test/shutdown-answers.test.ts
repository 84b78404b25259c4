import assert from 'node:assert/strict';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { startServer, stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** Source of a model that calls `wait`, which never ends. */
const model = `
async function* stream() {
  yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name: 'wait', arguments: {} } };
  yield { type: 'finish', reason: 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'waiting', stream });
export default { name: 'waiting', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;
const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };

/** Shuts a server down as soon as it has a run that has made a call, and returns what `request` received. */
async function shutDownDuring(request: (server: TestServer) => Promise<Response>): Promise<{
  readonly response: Response;
  readonly text: string;
  readonly runId: string;
}> {
  await using server = await startServer(config, { 'model.mjs': model }, { isServer: true });
  const sent = request(server);
  const { runs } = stateStoreOf(server.monolith);
  let runId: string | undefined;
  while (runId === undefined) {
    await new Promise(setImmediate);
    [runId] = (await runs.list({ status: 'running' })).items.map(({ id }) => id);
  }
  for (let events = ''; !events.includes('tool-call');) {
    const { body } = await fetch(`${server.url}/v1/runs/${runId}/events`);
    for await (const chunk of body ?? []) {
      events += new TextDecoder().decode(chunk);
      if (events.includes('tool-call')) break;
    }
  }
  const [response] = await Promise.all([
    sent.then(async (held) => ({ held, text: await held.text() })),
    server.shutDown(),
  ]);
  const { folder } = server.installation;
  await using store = await createSqliteStateStore({ file: `${folder}/data/state.db` });
  assert.equal((await store.runs.get(runId))?.status, 'running');
  return { response: response.held, text: response.text, runId };
}

function post(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('a held script is answered at shutdown with the id of its run, which continues', async () => {
  const { response, text, runId } = await shutDownDuring(({ url }) =>
    post(`${url}/v1/chains`, { code: 'await tools.wait({})' }),
  );
  const body = JSON.parse(text);
  assert.deepEqual([response.status, body.error.code, body.runId], [503, 'E_RUN_SUSPENDED', runId]);
});

test('a held response is answered at shutdown with the id of its run', async () => {
  const { response, text, runId } = await shutDownDuring(({ url }) => post(`${url}/v1/responses`, { input: 'go' }));
  const body = JSON.parse(text);
  assert.deepEqual([response.status, body.error.code, body.runId], [503, 'E_RUN_SUSPENDED', runId]);
});

test('a streamed response ends at shutdown with response.failed', async () => {
  const { text, runId } = await shutDownDuring(({ url }) => post(`${url}/v1/responses`, { input: 'go', stream: true }));
  const last = text.trim().split('\n\n').at(-1) ?? '';
  assert.match(last, /^event: response.failed\n/);
  const { response } = JSON.parse(last.slice(last.indexOf('data: ') + 6));
  assert.deepEqual([response.id, response.status, response.error.code], [`resp_${runId}`, 'failed', 'server_error']);
  assert.match(response.error.message, /shutting down; the run continues/);
});

for (const [format, error] of [
  ['ai-ui', /"type":"error","errorText":"The server is shutting down/],
  ['ag-ui', /"type":"RUN_ERROR","message":"The server is shutting down/],
] as const) {
  test(`a stream for a front end ends at shutdown with an error: ${format}`, async () => {
    const { text } = await shutDownDuring(async ({ url }) => {
      const run = (await (await post(`${url}/v1/runs`, { kind: 'agent', task: 'go' })).json()) as {
        readonly id: string;
      };
      return fetch(`${url}/v1/runs/${run.id}/events?format=${format}`);
    });
    assert.match(text.trim().split('\n\n').at(-1) ?? '', error);
  });
}
