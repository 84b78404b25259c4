import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { afterAll, beforeAll, test } from 'vitest';
import { createServerLog } from '../src/logging/server-log.ts';
import { deliver, deployments, startedOf } from './support/completions.ts';
import type { Started } from './support/completions.ts';
import type { Body } from './support/run-requests.ts';
import { openSocket, untilClosed } from './support/raw-http.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const token = 'the-token-of-the-only-caller-0123456789';
const authorization = { authorization: `Bearer ${token}` };
const version = { version: '1' };
const config: RaviConfig = {
  approvals: { mode: 'pause' },
  policy: { maxRiskUnapproved: 'high' },
  logging: { level: 'debug' },
  server: {
    tokens: [{ principal: 'ada', roles: ['run', 'approve'], token: { $env: 'ADA' } }],
    requestsPerMinute: 100_000,
  },
  plugins: { stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' } },
};

let server: TestServer;
const logged: string[] = [];
let count = 0;

beforeAll(async () => {
  server = await startServer(config, deployments, {
    isServer: true,
    env: { ADA: token },
    logger: (settings) => createServerLog(settings, { write: (line) => void logged.push(line) }),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Starts a script that makes one call, and returns the id of its run and what its tool gave away. */
async function startCall(call: string): Promise<readonly [string, Started]> {
  const code = `return await tools.${call};`;
  const { body } = await server.post('/v1/runs', { kind: 'chain', code }, authorization);
  const started = await startedOf(server.installation, ++count);
  return [body.id, started[count - 1] as Started];
}

async function read(path: string): Promise<Body> {
  return (await server.get(path, authorization)).body;
}

async function until(runId: string, ...statuses: readonly string[]): Promise<Body> {
  for (;;) {
    const run = await read(`/v1/runs/${runId}`);
    if (statuses.includes(run.status)) return run;
  }
}

function countsOf(statuses: readonly number[]): Readonly<Record<string, number>> {
  const groups = Object.groupBy(statuses, String);
  return Object.fromEntries(Object.entries(groups).map(([status, each = []]) => [status, each.length]));
}

function post(to: string, body: unknown): ReturnType<typeof deliver> {
  return deliver(server.url, to, body);
}

test('of ten posts at once one ends the call, which a token alone may do, and the others change nothing', async () => {
  const [runId, { token: given, url }] = await startCall(`deploy({})`);
  assert.equal(url, `${server.url}/v1/completions/${given}`);
  const posts = Array.from({ length: 10 }, (_, index) => post(given, { result: { version: `v${index}` } }));
  const statuses = (await Promise.all(posts)).map(([status]) => status);
  assert.deepEqual(countsOf(statuses), { 204: 1, 409: 9 });
  const run = await until(runId, 'completed');
  assert.deepEqual(run.outcome.result.value, { version: `v${statuses.indexOf(204)}` });
  const [status, late] = await post(given, { error: { message: 'late' } });
  assert.deepEqual([status, late.error.code], [409, 'E_COMPLETION_ENDED']);
});

test('a result that comes before the tool waits for it is the result, and an error is an error of the call', async () => {
  const [raced] = await startCall(`race({})`);
  assert.deepEqual((await until(raced, 'completed')).outcome.result.value, { version: 'first' });
  const [failed, { token: given }] = await startCall(`deploy({}).catch(({ code, message }) => [code, message])`);
  assert.equal((await post(given, { error: { code: 'FULL', message: 'no room' } }))[0], 204);
  assert.deepEqual((await until(failed, 'completed')).outcome.result.value, ['FULL', 'no room']);
});

test('a body that is too large, has both or neither, or misses the outputSchema is refused, and the token stays', async () => {
  const [runId, { token: given }] = await startCall(`deploy({})`);
  const cases: readonly (readonly [unknown, number, string])[] = [
    [{ result: 'x'.repeat(10_000_000) }, 413, 'E_BODY_TOO_LARGE'],
    [{}, 400, 'E_REQUEST_INVALID'],
    [{ result: version, error: { message: 'x' } }, 400, 'E_REQUEST_INVALID'],
    [{ result: version, more: 1 }, 400, 'E_REQUEST_INVALID'],
    [{ error: { message: 'x', code: 'E_INTERNAL' } }, 400, 'E_REQUEST_INVALID'],
    ['{"result":', 400, 'E_REQUEST_INVALID'],
    [{ result: { version: 1 } }, 422, 'E_OUTPUT_INVALID'],
    [{ result: 'text' }, 422, 'E_OUTPUT_INVALID'],
  ];
  for (const [body, status, code] of cases) {
    const [got, { error }] = await post(given, body);
    assert.deepEqual([got, error.code], [status, code]);
    if (code === 'E_OUTPUT_INVALID') assert.doesNotMatch(error.message, /arguments/i);
  }
  assert.equal((await until(runId, 'paused')).completions.length, 1);
  assert.equal((await post(given, { result: version }))[0], 204);
  await until(runId, 'completed');
});

test('a token is neither stored nor shown: not in the database, events, approvals, logs or the result that repeats it', async () => {
  const [runId, { token: given }] = await startCall(`deploy({})`);
  const paused = await until(runId, 'paused');
  assert.deepEqual(Object.keys(paused.completions[0]).toSorted(), ['callId', 'expiresAt', 'id', 'requestedAt', 'tool']);
  assert.deepEqual((await read('/v1/approvals')).items, []);
  const [{ id }] = paused.completions;
  assert.equal((await server.get(`/v1/approvals/${id}`, authorization)).status, 404);
  const decided = await server.post(`/v1/approvals/${id}/decision`, { decision: 'approved' }, authorization);
  assert.equal(decided.status, 404);
  assert.equal((await post(given, { result: { version: `built with ${given}` } }))[0], 204);
  const run = await until(runId, 'completed');
  assert.deepEqual(run.outcome.result.value, { version: 'built with [redacted]' });
  const events = await fetch(`${server.url}/v1/runs/${runId}/events`, { headers: authorization });
  const text = await events.text();
  assert.match(text, /event: completion-requested[\s\S]*event: completion-ended/);
  const folder = join(server.installation.folder, 'data');
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const contents = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
  const places = { events: text, run: JSON.stringify(run), log: logged.join(''), files: contents.join('') };
  assert.match(places.log, /started with \[redacted\]/);
  const secret = given.slice(-40);
  for (const [place, content] of Object.entries(places)) assert.ok(!content.includes(secret), place);
});

test('tokens that are forged, of other runs, expired, withdrawn or cancelled get one response, and 20 of them in a minute', async () => {
  const [kept, { token: first }] = await startCall(`deploy({})`);
  const [cancelled, { token: second }] = await startCall(`deploy({})`);
  const [expired, { token: third }] = await startCall(`deploy({ expiresInMs: 50 }).catch(({ code }) => code)`);
  const [left, { token: fourth }] = await startCall(`leave({})`);
  assert.deepEqual((await until(left, 'completed')).outcome.result.value, { version: 'own' });
  assert.equal((await until(expired, 'completed')).outcome.result.value, 'E_COMPLETION_EXPIRED');
  await until(cancelled, 'paused');
  await server.post(`/v1/runs/${cancelled}/cancel`, {}, authorization);
  const forged = [
    'x',
    '../v1/runs',
    `rvc_${'0'.repeat(32)}${'A'.repeat(43)}`,
    `${first.slice(0, -43)}${second.slice(-43)}`,
    first.slice(0, -1),
    `${first}A`,
    third,
    fourth,
    second,
  ];
  const refusals = await Promise.all(forged.map((each) => post(each, { result: version })));
  for (const [index, refusal] of refusals.entries()) {
    const error = { code: 'E_COMPLETION_UNKNOWN', message: 'No call waits for a result with this token' };
    assert.deepEqual(refusal, [404, { error }], forged[index]);
  }
  const more = await Promise.all(Array.from({ length: 20 }, () => post(third, { result: version })));
  assert.deepEqual(countsOf(more.map(([status]) => status)), { 404: 11, 429: 9 });
  // The limit is for tokens that end nothing.
  assert.equal((await post(first, { result: version }))[0], 204);
  await until(kept, 'completed');
});

test('the body of a request whose token ends nothing is not read', async () => {
  for (const body of ['{"result":', { result: 'x'.repeat(2_000_000) }]) {
    const [status, { error }] = await post('forged', body);
    assert.ok(status === 404 || status === 429, `${status} ${error.code}`);
  }
  const head = ['POST /v1/completions/forged HTTP/1.1', `host: ${new URL(server.url).host}`, 'connection: close'];
  const withheld = [...head, 'content-type: application/json', 'content-length: 100', '', ''].join('\r\n');
  const socket = openSocket(server.url, withheld);
  assert.match(await untilClosed(socket), /^HTTP\/1\.1 4(04|29) /);
});

test('a direct call of a tool waits for its result too', async () => {
  const waiting = server.post('/v1/tools/deploy', { args: {} }, authorization);
  const started = await startedOf(server.installation, ++count);
  assert.equal((await post(started[count - 1]?.token ?? '', { result: version }))[0], 204);
  const { body } = await waiting;
  assert.deepEqual([body.status, body.structured], ['ok', version]);
});
