import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tokens } from '@ravi/monolith';
import { createFakeClock } from '@ravi/testkit';
import { afterAll, beforeAll, test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import type { SentEvent } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const demo = `
  console.log('on my way');
  const big = await tools.echo({ text: 'x'.repeat(200_000) });
  await tools.launch({ target: 'moon' });
  return big.text.length;
`;

let server: TestServer;
beforeAll(async () => {
  const config = { agent: { demoScript: './demo.ts' }, approvals: { mode: 'pause' as const } };
  server = await startServer(config, { 'demo.ts': demo }, { isServer: true });
});
afterAll(() => server[Symbol.asyncDispose]());

async function start(body: object): Promise<string> {
  const { status, body: run } = await server.post('/v1/runs', body);
  assert.equal(status, 201, JSON.stringify(run));
  assert.equal(run.status, 'running');
  return run.id;
}

function follow(runId: string, headers: Record<string, string> = {}, query = ''): Promise<Response> {
  return fetch(`${server.url}/v1/runs/${runId}/events${query}`, { headers });
}

/** Reads the events of a run to its end and decides its approvals. */
async function toEnd(runId: string, decision: string): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  for (let isOver = false; !isOver;) {
    const last = events.findLast(({ id }) => id !== undefined)?.id ?? '';
    const response = await follow(runId, { 'last-event-id': last });
    assert.equal(response.status, 200);
    for await (const event of readEvents(response)) {
      events.push(event);
      isOver = event.event === 'run-end';
      if (event.event !== 'approval-requested') continue;
      const { requestId } = JSON.parse(event.data).data;
      const decided = await server.post(`/v1/approvals/${requestId}/decision`, { decision });
      assert.equal(decided.status, 200, JSON.stringify(decided.body));
    }
  }
  return events;
}

test('the demo model asks, resumes, and leaves an artifact', async () => {
  const runId = await start({ kind: 'agent', task: 'demo' });
  const events = await toEnd(runId, 'approved');
  // A reader sees each stored event once and in order; the run paused once for the approval.
  const ids = events.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const inEpoch = (epoch: number): readonly string[] => ids.filter((id) => id.startsWith(`${epoch}.`));
  assert.deepEqual(ids, [...inEpoch(1), ...inEpoch(2)]);
  for (const epoch of [1, 2])
    assert.deepEqual(
      inEpoch(epoch),
      inEpoch(epoch).map((_, index) => `${epoch}.${index + 1}`),
    );
  const types = new Set(events.map(({ event }) => event));
  for (const type of [
    'run-start',
    'step-start',
    'model-text',
    'model-end',
    'step-end',
    'tool-call',
    'tool-result',
    'approval-requested',
    'artifact',
  ]) {
    assert.ok(types.has(type), type);
  }

  const { body: run } = await server.get(`/v1/runs/${runId}`);
  assert.equal(run.status, 'completed');
  assert.equal(run.task, 'demo');
  assert.equal(run.steps, 2);
  assert.deepEqual(run.trace.map(({ tool, status }: { tool: string; status: string }) => `${tool} ${status}`).sort(), [
    'echo ok',
    'launch ok',
    'tool_chain ok',
  ]);
  assert.ok(run.artifacts.length > 0);
  const [{ ref, bytes }] = run.artifacts;
  // Artifacts of the conversation are kept, although the run and its session have ended.
  const { container } = server.monolith;
  await container.resolve(tokens.blobStore).sweep(container.resolve(tokens.clock).now());
  const content = await fetch(`${server.url}/v1/artifacts/${ref}/content`);
  assert.equal((await content.arrayBuffer()).byteLength, bytes);
  assert.equal(content.headers.get('x-content-type-options'), 'nosniff');
  const exchanges = await server.get(`/v1/runs/${runId}/exchanges`);
  assert.equal(exchanges.body.items.length, 2);
  assert.equal(exchanges.body.items[0].request.messages[0].content[0].text, 'demo');
});

test('a script is a run whose events can be read from any position', async () => {
  const runId = await start({ kind: 'chain', code: demo });
  const events = await toEnd(runId, 'denied');
  const { body: run } = await server.get(`/v1/runs/${runId}`);
  assert.deepEqual([run.status, run.script], ['failed', demo]);
  assert.deepEqual(run.logs, [{ level: 'log', text: 'on my way' }]);
  for (const known of [0, 1, events.length - 1, events.length]) {
    const again: SentEvent[] = [];
    const last = events[known - 1]?.id ?? '';
    for await (const event of readEvents(await follow(runId, { 'last-event-id': last }))) again.push(event);
    assert.deepEqual(again, events.slice(known));
  }
  assert.equal((await follow(runId, { 'last-event-id': '17' })).status, 400);
});

test('cancelling a paused run also withdraws its request', async () => {
  const runId = await start({ kind: 'chain', code: 'await tools.launch({})' });
  const asked: string[] = [];
  // The stream ends when the run is paused.
  for await (const { event, data } of readEvents(await follow(runId))) {
    if (event === 'approval-requested') asked.push(JSON.parse(data).data.requestId);
  }
  assert.equal((await server.get(`/v1/runs/${runId}`)).body.status, 'paused');
  assert.equal((await server.post(`/v1/runs/${runId}/cancel`, {})).status, 202);
  assert.equal((await server.get(`/v1/runs/${runId}`)).body.status, 'cancelled');
  assert.equal((await server.get(`/v1/approvals/${asked[0]}`)).body.approval.status, 'withdrawn');
  assert.equal((await server.post(`/v1/runs/${runId}/cancel`, {})).status, 409);
  assert.equal((await server.post(`/v1/runs/${runId}/resume`, {})).body.error.code, 'E_STATE_CONFLICT');
});

test('a running script is cancelled, and its call ends', async () => {
  const ended: string[] = [];
  server.monolith.container.resolve(tokens.hooks).observe('tool-result', ({ tool, status }) => {
    if (tool === 'wait') ended.push(status);
  });
  const runId = await start({ kind: 'chain', code: 'await tools.wait({})' });
  for await (const { event } of readEvents(await follow(runId))) {
    if (event === 'tool-call') assert.equal((await server.post(`/v1/runs/${runId}/cancel`, {})).status, 202);
  }
  assert.equal((await server.get(`/v1/runs/${runId}`)).body.status, 'cancelled');
  assert.deepEqual(ended, ['cancelled']);
  const resumed = await server.post(`/v1/runs/${runId}/resume`, {});
  assert.deepEqual([resumed.status, resumed.body.error.code], [409, 'E_STATE_CONFLICT']);
});

test('runs are listed by page and filter, and their sessions have a history', async () => {
  const runId = await start({ kind: 'agent', task: 'demo', sessionId: 'session-of-mine' });
  await toEnd(runId, 'denied');
  const mine = await server.get('/v1/runs?sessionId=session-of-mine&kind=agent');
  assert.deepEqual(
    mine.body.items.map(({ id }: { id: string }) => id),
    [runId],
  );
  const first = await server.get('/v1/runs?limit=1');
  const second = await server.get(`/v1/runs?limit=1&cursor=${encodeURIComponent(first.body.next)}`);
  assert.notEqual(first.body.items[0].id, second.body.items[0].id);
  const { body } = await server.get('/v1/sessions/session-of-mine/history');
  assert.equal(body.items[0].message.content[0].text, 'demo');
  const listed = await server.get('/v1/sessions');
  assert.ok(listed.body.items.some(({ sessionId }: { sessionId: string }) => sessionId === 'session-of-mine'));
});

test('parts of an artifact are served by range, and a deleted one is gone', async () => {
  const { body } = await server.get('/v1/artifacts');
  const [{ ref, bytes }] = body.items;
  const url = `${server.url}/v1/artifacts/${ref}/content`;
  const whole = await (await fetch(url)).text();
  for (const [range, from, to] of [
    ['bytes=0-9', 0, 10],
    ['bytes=10-', 10, bytes],
    ['bytes=-5', bytes - 5, bytes],
  ] as const) {
    const part = await fetch(url, { headers: { range } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${bytes}`);
    assert.equal(await part.text(), whole.slice(from, to));
  }
  const beyond = await fetch(url, { headers: { range: `bytes=${bytes}-` } });
  assert.equal(beyond.status, 416);
  assert.equal((await fetch(url.replace('/content', ''), { method: 'DELETE' })).status, 204);
  assert.equal((await fetch(url)).status, 404);
  for (const trick of ['..%2F..%2Fetc%2Fpasswd', '%00', '..', 'a'.repeat(5_000)]) {
    assert.equal((await server.get(`/v1/artifacts/${trick}`)).status, 404, trick);
  }
});

test('settings list the plugins, and readiness checks every adapter', async () => {
  const { body } = await server.get('/v1/settings');
  assert.deepEqual(body.model, { id: 'ravi-demo', isDemo: true });
  assert.ok(body.plugins.some(({ port }: { port: string }) => port === 'stateStore'));
  const ready = await server.get('/ready');
  assert.deepEqual([ready.status, ready.body.adapters.stateStore.status], [200, 'ok']);
});

test('a server is not ready while its blob store cannot store', async () => {
  const clock = createFakeClock();
  await using own = await startServer({}, {}, { clock });
  const { blobStore } = (await own.get('/ready')).body.adapters;
  assert.equal(blobStore.status, 'ok');
  const blobs = join(own.installation.folder, 'data/blobs');
  await rm(blobs, { recursive: true });
  await writeFile(blobs, 'a file in the place of the folder');
  clock.advance(5_000);
  const broken = await own.get('/ready');
  assert.deepEqual([broken.status, broken.body.adapters.blobStore.status], [503, 'unavailable']);
  assert.equal((await own.get('/v1/settings')).body.health.blobStore.status, 'unavailable');
  await rm(blobs);
  clock.advance(5_000);
  assert.equal((await own.get('/ready')).status, 200);
  // The probes are removed again.
  assert.deepEqual(await readdir(join(blobs, 'incoming')), []);
});

test('tool metrics are exported for Prometheus, with one label for all unknown tools', async () => {
  const read = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();
  const unknownErrors = (metrics: string): number =>
    Number(/^ravi_tool_errors_total\{tool="_OTHER"\} (\d+)$/m.exec(metrics)?.[1]);
  const before = unknownErrors(await read());
  await server.post('/v1/tools/echo', { args: {} });
  await server.post(`/v1/tools/${encodeURIComponent('a"b\n')}`, { args: {} });
  const text = await read();
  assert.match(text, /^ravi_tool_calls_total\{tool="echo"\} [1-9]\d*$/m);
  assert.equal(unknownErrors(text), before + 1);
  assert.doesNotMatch(text, /tool="a/);
  for (const line of text.trimEnd().split('\n'))
    assert.match(line, /^(# (HELP|TYPE) |\w+(\{(tool|state)=".*"\})? \d+(\.\d+)?$)/);
});

test('the same run is a message of the AI SDK and a series of AG-UI events', async () => {
  const runId = await start({ kind: 'agent', task: 'demo' });
  await toEnd(runId, 'approved');
  const types = async (format: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { data } of readEvents(await follow(runId, {}, `?format=${format}`))) {
      found.push(data === '[DONE]' ? data : JSON.parse(data).type);
    }
    return found;
  };
  const ui = await types('ai-ui');
  assert.deepEqual([ui[0], ...ui.slice(-2)], ['start', 'finish', '[DONE]']);
  for (const type of ['text-start', 'text-end', 'tool-input-available', 'tool-output-available', 'start-step']) {
    assert.ok(ui.includes(type), type);
  }
  const ag = await types('ag-ui');
  assert.deepEqual([ag[0], ag.at(-1)], ['RUN_STARTED', 'RUN_FINISHED']);
  assert.ok(ag.includes('TOOL_CALL_RESULT'));
});
