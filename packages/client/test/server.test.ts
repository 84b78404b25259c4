import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, test } from 'vitest';
import { createClient, RaviApiError } from '../src/index.ts';
import type { Client } from '../src/index.ts';
import { collect } from './support/collect.ts';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';

const token = 'token-of-the-client-tests-0123456789abcdef';
let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  const tokenSha256 = createHash('sha256').update(token).digest('hex');
  server = await startServer({ server: { tokens: [{ tokenSha256, principal: 'tester', roles: ['run', 'approve'] }] } });
  client = createClient({ baseUrl: server.url, token });
});

afterAll(() => server[Symbol.asyncDispose]());

test('a script runs, and its run has a trace', async () => {
  const result = await client.chains.run({ code: 'return await tools.add({ left: 1, right: 2 })' });
  assert.equal(result.status, 'ok');
  assert.deepEqual(result.value, { sum: 3 });
  const run = await client.runs.get(result.runId ?? '');
  assert.equal(run.trace[0]?.tool, 'add');
  const listed = await collect(client.runs.list({ limit: 1 }));
  assert.ok(listed.some(({ id }) => id === run.id));
});

test('a client uploads blobs, bytes, text and streams', async () => {
  const blob = await client.artifacts.upload(new Blob(['abc'], { type: 'text/plain' }), { sessionId: 's' });
  assert.deepEqual([blob.bytes, blob.mediaType, blob.scope.sessionId], [3, 'text/plain', 's']);
  assert.equal(blob.sha256, createHash('sha256').update('abc').digest('hex'));
  const bytes = await client.artifacts.upload(new Uint8Array(5));
  assert.deepEqual([bytes.bytes, bytes.mediaType], [5, 'application/octet-stream']);
  const stream = new Blob(['x'.repeat(300_000)]).stream();
  const streamed = await client.artifacts.upload(stream, {}, { headers: { 'content-type': 'text/csv' } });
  assert.deepEqual([streamed.bytes, streamed.mediaType], [300_000, 'text/csv']);
  const empty = await client.artifacts.upload('');
  assert.equal(empty.bytes, 0);
  await assert.rejects(
    client.artifacts.upload('x', {}, { headers: { 'content-type': 'no type' } }),
    (error) => error instanceof RaviApiError && error.code === 'E_CONTENT_TYPE' && error.status === 415,
  );
});

test('the events of a run arrive in order and end', async () => {
  const { id } = await client.runs.start({ kind: 'chain', code: 'return await tools.add({ left: 1, right: 2 })' });
  const events = await collect(client.runs.events(id));
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, index) => `1.${index + 1}`),
  );
  assert.equal(events.at(-1)?.type, 'run-end');
  assert.deepEqual(await collect(client.runs.events(id, { after: `1.${events.length}` })), []);
});

test('a stream continues after the server was killed and started again', async () => {
  const started = await client.runs.start({
    kind: 'chain',
    code: 'return await tools.launch({})',
    approvalMode: 'pause',
  });
  const types: string[] = [];
  let isRestarted = false;
  for await (const event of client.runs.events(started.id)) {
    types.push(event.type);
    if (event.type === 'run-paused' && !isRestarted) {
      isRestarted = true;
      await server.restart();
      const [approval] = await collect(client.approvals.list({ status: 'pending' }));
      assert.equal(approval?.tool, 'launch');
      await client.approvals.decide(approval.id, { decision: 'approved' });
    }
  }
  assert.ok(isRestarted);
  assert.equal(types.at(-1), 'run-end');
  assert.equal((await client.runs.get(started.id)).status, 'completed');
});

test('a refusal of the server is a RaviApiError', async () => {
  const error = await client.runs.get('no-such-run').catch((caught: unknown) => caught);
  assert.ok(error instanceof RaviApiError);
  assert.equal(error.code, 'E_RUN_NOT_FOUND');
  assert.equal(error.status, 404);
  const stranger = createClient({ baseUrl: server.url, token: 'wrong' });
  await assert.rejects(stranger.runs.list(), { code: 'E_UNAUTHENTICATED', status: 401 });
});
