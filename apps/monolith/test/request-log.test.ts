import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { createServerLog } from '../src/logging/server-log.ts';

type Line = Readonly<Record<string, unknown>>;

const secret = 'tr0ub4dor-and-3';

/** Starts a server and exposes its log lines. */
async function startLogged(): Promise<{ readonly server: TestServer; lines(message: string): readonly Line[] }> {
  const written: string[] = [];
  const server = await startServer(
    { logging: { level: 'debug' }, agent: { demoScript: './demo.ts' } },
    { 'demo.ts': `return tools.echo({ text: '${secret}' })` },
    {
      isServer: true,
      env: { DATABASE_PASSWORD: secret },
      logger: (settings) => createServerLog(settings, { write: (line) => void written.push(line) }),
    },
  );
  return {
    server,
    lines: (message) => written.map((line) => JSON.parse(line) as Line).filter((line) => line['message'] === message),
  };
}

test('a request is logged with id, route, principal, status and duration, without path and query', async () => {
  const { server, lines } = await startLogged();
  await using _server = server;
  const answer = await fetch(`${server.url}/v1/runs/run_none?limit=${secret}`, {
    headers: { 'x-request-id': 'abc.1' },
  });
  assert.equal(answer.headers.get('x-request-id'), 'abc.1');
  await answer.body?.cancel();
  const [line] = lines('request');
  assert.equal(line?.['requestId'], 'abc.1');
  assert.equal(line['route'], '/v1/runs/:id');
  assert.equal(line['principal'], 'local');
  assert.equal(line['method'], 'GET');
  assert.equal(line['status'], answer.status);
  assert.equal(typeof line['durationMs'], 'number');
  assert.ok(!JSON.stringify(line).includes('run_none'));
});

test('an invalid request id is replaced and reaches neither the log nor the response', async () => {
  const { server, lines } = await startLogged();
  await using _server = server;
  const forged = ['{"level":"error"}', 'a b', 'ä', 'x'.repeat(129)];
  for (const id of forged) {
    const { headers } = await fetch(`${server.url}/health`, { headers: { 'x-request-id': encodeURIComponent(id) } });
    assert.match(headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/);
  }
  assert.equal(lines('request').length, forged.length);
  for (const { requestId } of lines('request')) assert.match(String(requestId), /^[\da-f-]{36}$/);
});

test('a run is logged with its request, calls with their ids, and neither log nor events contain a secret', async () => {
  const { server, lines } = await startLogged();
  await using _server = server;
  const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'demo' }, { 'x-request-id': 'start-1' });
  let events = '';
  for await (const { data } of readEvents(await fetch(`${server.url}/v1/runs/${run.id}/events`))) events += data;
  assert.ok(events.includes('[redacted]') && !events.includes(secret));

  const { body: ended } = await server.get(`/v1/runs/${run.id}`);
  assert.ok(!JSON.stringify(ended.trace).includes(secret));
  assert.equal(ended.trace.length, 2);

  assert.equal(lines('run started')[0]?.['requestId'], 'start-1');
  assert.equal(lines('run ended')[0]?.['status'], 'completed');
  const [inner, chain] = lines('call ended');
  assert.equal(inner?.['runId'], run.id);
  assert.equal(inner?.['tool'], 'echo');
  assert.equal(inner?.['parentId'], chain?.['callId']);
  assert.equal(chain?.['tool'], 'tool_chain');
});
