import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createClient, RaviApiError } from '../src/index.ts';
import type { Client, ClientOptions } from '../src/index.ts';
import { collect } from './support/collect.ts';

type Answer = (request: Request) => Response | Promise<Response>;

interface Opened {
  readonly client: Client;
  readonly requests: Request[];
}

/** A client whose requests are answered in order; the last answer is for all further ones. */
function open(answers: readonly Answer[], options: Partial<ClientOptions> = {}): Opened {
  const requests: Request[] = [];
  const client = createClient({
    baseUrl: 'http://ravi.test/',
    reconnect: { minDelayMs: 0, maxDelayMs: 0 },
    fetch: async (request) => {
      requests.push(request);
      const answer = answers[requests.length - 1] ?? answers.at(-1);
      if (answer === undefined) throw new Error('No answer is left');
      return answer(request);
    },
    ...options,
  });
  return { client, requests };
}

const ok =
  (body: unknown): Answer =>
  () =>
    Response.json(body);
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json({ error: { code, message: `${code} happened` } }, { status, headers });
const frame = (id: number, type: string, data: unknown): string =>
  `id: 1.${id}\nevent: ${type}\ndata: ${JSON.stringify({ at: 1, data })}\n\n`;
const stream =
  (...frames: readonly string[]): Answer =>
  () =>
    new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } });

test('path, query and body go where the table of operations says', async () => {
  const { client, requests } = open([ok({ status: 'ok' })], { token: 'secret' });
  await client.snippets.run('a/b', { version: 2, input: { x: 1 } });
  const [request] = requests;
  assert.equal(request?.method, 'POST');
  assert.equal(request.url, 'http://ravi.test/v1/snippets/a%2Fb/run?version=2');
  assert.equal(request.headers.get('authorization'), 'Bearer secret');
  assert.deepEqual(await request.json(), { input: { x: 1 } });
});

test('undefined parameters are left out', async () => {
  const { client, requests } = open([ok({ items: [] })]);
  await client.runs.list({ status: 'paused', ...({ cursor: undefined } as object) });
  assert.equal(requests[0]?.url, 'http://ravi.test/v1/runs?status=paused');
});

test('a refusal becomes a RaviApiError with code, status, problem and the time to wait', async () => {
  const { client } = open([refuse(429, 'E_BUSY', { 'retry-after': '2' })]);
  const error = await client.runs.get('r').catch((caught: unknown) => caught);
  assert.ok(error instanceof RaviApiError);
  assert.equal(error.code, 'E_BUSY');
  assert.equal(error.status, 429);
  assert.equal(error.retryAfterMs, 2_000);
  assert.ok(error.isTemporary);
  assert.deepEqual(error.problem, { error: { code: 'E_BUSY', message: 'E_BUSY happened' } });
});

test('a server that cannot be reached is E_SERVER_UNREACHABLE', async () => {
  const client = createClient({
    baseUrl: 'http://ravi.test',
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
  });
  await assert.rejects(client.runs.get('r'), {
    code: 'E_SERVER_UNREACHABLE',
    status: 0,
    message: 'No server answers at http://ravi.test: ECONNREFUSED',
  });
});

test('a request that starts something is repeated under one key, and no other request is', async () => {
  const lost: Answer = () => Promise.reject(new TypeError('fetch failed'));
  const { client, requests } = open([lost, ok({ id: 'r' }), lost]);
  await client.runs.start({ kind: 'chain', code: '1' });
  const [first, second] = requests.map(({ headers }) => headers.get('idempotency-key'));
  assert.ok(first !== null && first !== undefined && first === second, String(first));
  await assert.rejects(client.runs.get('r'), { code: 'E_SERVER_UNREACHABLE' });
  assert.equal(requests.length, 3);
  assert.equal(requests[2]?.headers.get('idempotency-key'), null);
});

test('a key of the caller is sent as it is', async () => {
  const { client, requests } = open([ok({ id: 'r' })]);
  await client.runs.start({ kind: 'chain', code: '1' }, { headers: { 'Idempotency-Key': 'mine' } });
  assert.equal(requests[0]?.headers.get('idempotency-key'), 'mine');
});

test('a response that is not from a Ravi server is E_RESPONSE_INVALID', async () => {
  await assert.rejects(open([() => new Response('<html>')]).client.runs.get('r'), { code: 'E_RESPONSE_INVALID' });
  await assert.rejects(open([() => Response.json({}, { status: 502 })]).client.runs.get('r'), {
    code: 'E_RESPONSE_INVALID',
    status: 502,
  });
});

test('a status that the table lists is a response, not an error', async () => {
  const { client } = open([() => Response.json({ status: 'unavailable', adapters: {} }, { status: 503 })]);
  assert.equal((await client.server.ready()).status, 'unavailable');
});

test('responses without JSON are undefined or the response itself', async () => {
  const { client } = open([() => new Response(null, { status: 204 }), () => new Response('bytes')]);
  assert.equal(await client.artifacts.delete('ref'), undefined);
  assert.equal(await (await client.artifacts.content('ref')).text(), 'bytes');
});

test('a list is its first page when awaited, and every item of every page when iterated', async () => {
  const pages = [ok({ items: [{ id: '1' }], next: 'two' }), ok({ items: [{ id: '2' }] })];
  const first = open(pages);
  assert.deepEqual(await first.client.runs.list(), { items: [{ id: '1' }], next: 'two' });
  const { client, requests } = open(pages);
  const runs = await collect(client.runs.list({ status: 'completed' }));
  assert.deepEqual(
    runs.map(({ id }) => id),
    ['1', '2'],
  );
  assert.equal(requests[1]?.url, 'http://ravi.test/v1/runs?status=completed&cursor=two');
});

test('a stream is opened again after its last event, and ends with the end event', async () => {
  const { client, requests } = open([
    stream(frame(1, 'step-start', { step: 1 }), 'id: 1.2\nevent: step-start\ndata: {"cut'),
    refuse(503, 'E_SHUTTING_DOWN'),
    stream(': still here\n\n', frame(2, 'run-end', { status: 'completed' }), frame(3, 'step-start', {})),
  ]);
  const events = await collect(client.runs.events('r'));
  assert.deepEqual(
    events.map(({ id, type }) => [id, type]),
    [
      ['1.1', 'step-start'],
      ['1.2', 'run-end'],
    ],
  );
  assert.deepEqual(
    requests.map(({ headers }) => headers.get('last-event-id')),
    [null, '1.1', '1.1'],
  );
});

test('an event for display is yielded once, although the server sends it again after a reconnection', async () => {
  const delta = (part: number): string =>
    `event: model-delta\ndata: ${JSON.stringify({ provisional: true, part, at: 1, data: { text: `${part}` } })}\n\n`;
  const { client } = open([
    stream(frame(1, 'step-start', { step: 1 }), delta(1), delta(2)),
    stream(delta(1), delta(2), delta(3), frame(2, 'model-text', { text: '123' }), delta(1), frame(3, 'run-end', {})),
  ]);
  const events = await collect(client.runs.events('r'));
  assert.deepEqual(
    events.map(({ id, part }) => id ?? part),
    ['1.1', 1, 2, 3, '1.2', 1, '1.3'],
  );
});

test('a stream that breaks off is opened again', async () => {
  const broken: Answer = () => {
    const pieces = [new TextEncoder().encode(frame(1, 'step-start', { step: 1 }))];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.error(new TypeError('terminated'));
        else controller.enqueue(piece);
      },
    });
    return new Response(body);
  };
  const { client } = open([broken, stream(frame(2, 'run-end', { status: 'completed' }))]);
  assert.equal((await collect(client.runs.events('r'))).length, 2);
});

test('a stream without events ends when the run is over', async () => {
  const { client, requests } = open([stream(), ok({ status: 'paused' }), stream(), ok({ status: 'completed' })]);
  assert.deepEqual(await collect(client.runs.events('r', { after: '1.9' })), []);
  assert.equal(requests[0]?.headers.get('last-event-id'), '1.9');
  assert.equal(requests.length, 4);
});

test('a stream throws when it cannot be opened at all, is refused, or fails too often', async () => {
  await assert.rejects(collect(open([refuse(503, 'E_SHUTTING_DOWN')]).client.runs.events('r')), {
    code: 'E_SHUTTING_DOWN',
  });
  const begun = stream(frame(1, 'step-start', {}));
  await assert.rejects(collect(open([begun, refuse(404, 'E_RUN_NOT_FOUND')]).client.runs.events('r')), {
    code: 'E_RUN_NOT_FOUND',
  });
  const failing = open([begun, refuse(503, 'E_SHUTTING_DOWN')], { reconnect: { minDelayMs: 0, maxFailures: 3 } });
  await assert.rejects(collect(failing.client.runs.events('r')), { code: 'E_SHUTTING_DOWN' });
  assert.equal(failing.requests.length, 5);
});

test('a stream that retries its first connection reports when it is open and when it is lost', async () => {
  const states: string[] = [];
  const { client } = open(
    [refuse(503, 'E_SHUTTING_DOWN'), stream(frame(1, 'step-start', {})), stream(frame(2, 'run-end', {}))],
    { reconnect: { minDelayMs: 0, retriesFirst: true } },
  );
  await collect(client.runs.events('r', { onConnection: (state) => states.push(state) }));
  assert.deepEqual(states, ['lost', 'open', 'lost', 'open']);
  await assert.rejects(
    collect(open([refuse(401, 'E_UNAUTHENTICATED')], { reconnect: { retriesFirst: true } }).client.runs.events('r')),
    { code: 'E_UNAUTHENTICATED' },
  );
});

test('the cookie of a sign-in is sent to another origin only on request', async () => {
  const answers = [ok({ items: [] })];
  const [usual, included] = [open(answers), open(answers, { credentials: 'include' })];
  await usual.client.budgets.list();
  await included.client.budgets.list();
  assert.equal(usual.requests[0]?.credentials, 'same-origin');
  assert.equal(included.requests[0]?.credentials, 'include');
});

test('headers of a call are sent', async () => {
  const { client, requests } = open([() => new Response('by', { status: 206 })]);
  const response = await client.artifacts.content('ref', { headers: { range: 'bytes=0-1' } });
  assert.equal(await response.text(), 'by');
  assert.equal(requests[0]?.headers.get('range'), 'bytes=0-1');
});

test('an aborted stream rejects with the reason, also between two connections', async () => {
  const aborting = new AbortController();
  const { client } = open([stream(frame(1, 'step-start', {}))], { reconnect: { minDelayMs: 60_000 } });
  const events = client.runs.events('r', { signal: aborting.signal });
  assert.equal((await events.next()).done, false);
  const waiting = events.next();
  aborting.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
});

test('events of approvals carry what the server sends, and a reset has no sequence', async () => {
  const { client } = open([
    stream('event: reset\ndata: {}\n\n', 'id: 4\nevent: approval\ndata: {"now":7,"change":{"sequence":4}}\n\n'),
  ]);
  const events = client.approvals.events();
  assert.deepEqual((await events.next()).value, { type: 'reset' });
  const { value } = await events.next();
  assert.deepEqual(value, { type: 'approval', sequence: 4, now: 7, change: { sequence: 4 } });
  await events.return?.();
});
