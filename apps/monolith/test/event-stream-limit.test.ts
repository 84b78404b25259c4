import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import type { TestServer } from './support/server.ts';

const files = {
  'tools/hold.mjs': `export default {
    name: 'hold', description: 'Waits until its call is cancelled.', risk: 'safe', inputSchema: { type: 'object' },
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };`,
};

interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly body?: object;
}

/** Sends a request on a connection of its own and returns the response, of which nothing has been read. */
function send(server: TestServer, name: CallerName, path: string, call: Call = {}): Promise<IncomingMessage> {
  const { method = 'GET', body } = call;
  return new Promise((resolve, reject) => {
    const headers = { ...as(name), ...(body && { 'content-type': 'application/json' }) };
    const sent = request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
      response.on('error', () => undefined);
      resolve(response);
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

async function startHeld(server: TestServer, name: CallerName): Promise<string> {
  const { status, body } = await server.post('/v1/runs', { kind: 'chain', code: 'await tools.hold({})' }, as(name));
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

/** Opens a stream as soon as the server has noticed that an earlier one was closed. */
async function openOnceFree(server: TestServer, name: CallerName, path: string): Promise<IncomingMessage> {
  for (let attempt = 0; ; attempt++) {
    const response = await send(server, name, path);
    if (response.statusCode === 200) return response;
    assert.ok(attempt < 10_000, `still ${response.statusCode}`);
    response.resume();
  }
}

test('a principal at its limit of event streams is refused with 429, and closing one makes room', async () => {
  await using server = await startSecuredServer({ maxEventStreams: 3 }, files);
  const path = `/v1/runs/${await startHeld(server, 'ada')}/events`;
  const open = await Promise.all([1, 2, 3].map(() => send(server, 'ada', path)));
  assert.deepEqual(
    open.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  );

  const refused = await send(server, 'ada', path);
  assert.equal(refused.statusCode, 429);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  const { error } = JSON.parse(await text(refused)) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  assert.equal(error.code, 'E_BUSY');
  assert.match(error.message, /ada has 3 open event streams.*server\.maxEventStreams/);

  // An admin reads the same run, and another principal its own.
  assert.equal((await send(server, 'root', path)).statusCode, 200);
  const ofBob = `/v1/runs/${await startHeld(server, 'bob')}/events`;
  assert.equal((await send(server, 'bob', ofBob)).statusCode, 200);

  open[0]?.destroy();
  await openOnceFree(server, 'ada', path);
  assert.equal((await send(server, 'ada', path)).statusCode, 429);
});

test('streams that end, requests without a body and unknown runs keep no place', async () => {
  await using server = await startSecuredServer({ maxEventStreams: 1 }, files);
  const { body: ended } = await server.post('/v1/chains', { code: 'return 1' }, as('ada'));
  const held = `/v1/runs/${await startHeld(server, 'ada')}/events`;
  for (let round = 0; round < 3; round++) {
    const whole = await send(server, 'ada', `/v1/runs/${ended.runId}/events`);
    assert.match(await text(whole), /run-end/);
    assert.equal((await send(server, 'ada', held, { method: 'HEAD' })).statusCode, 200);
    const unknown = await send(server, 'ada', '/v1/runs/run_unknown/events');
    assert.equal(unknown.statusCode, 404);
    unknown.resume();
  }
  assert.equal((await send(server, 'ada', held)).statusCode, 200);
});

test('the stream of a script counts too: at the limit the script does not start', async () => {
  await using server = await startSecuredServer({ maxEventStreams: 1 }, files);
  const script = { method: 'POST', body: { code: 'await tools.hold({})' } } as const;
  assert.equal((await send(server, 'ada', '/v1/chains?stream=1', script)).statusCode, 200);
  for (const [path, body] of [
    ['/v1/chains?stream=1', script.body],
    ['/v1/responses', { input: 'wait', stream: true }],
  ] as const) {
    const refused = await send(server, 'ada', path, { method: 'POST', body });
    assert.equal(refused.statusCode, 429, path);
    refused.resume();
  }
  assert.equal((await server.get('/v1/runs', as('ada'))).body.items.length, 1);
});
