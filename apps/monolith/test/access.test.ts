import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterAll, beforeAll, test } from 'vitest';
import { as, secrets, sha256, startSecuredServer } from './support/callers.ts';
import { pathWith, readOperations } from './support/operations.ts';
import type { DescribedOperation } from './support/operations.ts';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startSecuredServer({ allowedHosts: ['ravi.example'] });
});
afterAll(() => server[Symbol.asyncDispose]());

const operations = (): Promise<readonly DescribedOperation[]> => readOperations(server.url, as('root'));

async function send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

test('every operation except open ones needs a caller with the right role', async () => {
  for (const operation of await operations()) {
    const { method, path, role, isOpen } = operation;
    const place = pathWith(operation, 'unknown');
    if (isOpen) continue;
    assert.equal((await send(method, place, {})).status, 401, `${method} ${path}`);
    if (role === 'run') assert.equal((await send(method, place, as('eve'))).status, 403, `${method} ${path}`);
  }
});

test('no operation shows data of another principal', async () => {
  const code = `await tools.echo({ text: 'x'.repeat(9_000) }); await tools.launch({})`;
  const started = await send('POST', '/v1/runs', as('ada'), { kind: 'chain', code, sessionId: 'of-ada' });
  assert.equal(started.status, 201);
  const id: string = started.body.id;
  // The stream ends when the run is paused.
  await send('GET', `/v1/runs/${id}/events`, as('ada'));
  const [{ ref }] = (await send('GET', `/v1/artifacts?runId=${id}`, as('ada'))).body.items;
  const [{ id: approvalId }] = (await send('GET', `/v1/runs/${id}`, as('ada'))).body.pendingApprovals;

  for (const { method, path } of await operations()) {
    const isOfRun = path.startsWith('/v1/runs/{id}');
    if (!isOfRun && !path.startsWith('/v1/artifacts/{ref}')) continue;
    const place = path.replace('{id}', id).replace('{ref}', ref);
    const body = path.endsWith('/input') ? { text: 'x' } : {};
    const answer = await send(method, place, as('bob'), method === 'POST' ? body : undefined);
    assert.equal(answer.status, 404, `${method} ${path}`);
  }
  assert.equal((await send('GET', `/v1/artifacts?runId=${id}`, as('bob'))).status, 404);
  for (const list of ['/v1/runs', '/v1/artifacts', '/v1/sessions', '/v1/sessions/of-ada/history', '/v1/jobs']) {
    assert.deepEqual((await send('GET', list, as('bob'))).body, { items: [] }, list);
  }
  assert.equal((await send('GET', `/v1/approvals/${approvalId}`, as('bob'))).status, 404);
  const decision = { decision: 'approved' };
  // The same for an id that does not exist: the role is checked first.
  for (const asked of [approvalId, 'unknown']) {
    assert.equal((await send('POST', `/v1/approvals/${asked}/decision`, as('bob'), decision)).status, 403);
  }
  assert.deepEqual(await server.installation.launches(), []);

  assert.equal((await send('GET', `/v1/runs/${id}`, as('root'))).status, 200);
  assert.equal((await send('POST', `/v1/approvals/${approvalId}/decision`, as('eve'), decision)).status, 200);
});

test('a sign-in cookie works until sign-out, and pages cannot read it', async () => {
  const signedIn = await fetch(`${server.url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: secrets.ada }),
  });
  assert.deepEqual(await signedIn.json(), { principal: 'ada', roles: ['run'], isSignedIn: true });
  const given = signedIn.headers.get('set-cookie') ?? '';
  assert.match(given, /HttpOnly; SameSite=Strict/);
  const cookie = given.split(';')[0] ?? '';
  assert.equal((await send('GET', '/v1/session', { cookie })).body.principal, 'ada');
  assert.equal((await send('DELETE', '/v1/session', { cookie, origin: server.url })).status, 204);
  assert.equal((await send('GET', '/v1/session', { cookie })).status, 401);
  assert.equal((await send('GET', '/v1/session', { cookie: `ravi_session=${'x'.repeat(43)}` })).status, 401);
});

test('every response has security headers and a request id', async () => {
  for (const path of ['/health', '/v1/runs', '/nowhere']) {
    const { headers } = await fetch(`${server.url}${path}`);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/, path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(headers.get('x-request-id') ?? '', /^[\w-]{36}$/, path);
  }
});

test('a configured host name is accepted, and a line break in a header splits no response', async () => {
  assert.equal((await server.get('/health', { host: 'ravi.example' })).status, 200);
  assert.equal((await server.get('/health', { host: 'evil.example' })).status, 403);
  const injected = await send('GET', `/v1/artifacts/${encodeURIComponent('x\r\nset-cookie: a=b')}`, as('ada'));
  assert.equal(injected.status, 404);
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\nx: a\rb\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /^HTTP\/1\.1 400 /);
});

test('a caller above its rate limit gets Retry-After, and other callers are not affected', async () => {
  await using limited = await startServer(
    {
      server: {
        requestsPerMinute: 3,
        tokens: [
          { principal: 'ada', token: { $env: 'ADA' } },
          { principal: 'bob', tokenSha256: sha256(secrets.bob) },
        ],
      },
    },
    {},
    { env: { ADA: secrets.ada } },
  );
  const ask = (name: 'ada' | 'bob') => fetch(`${limited.url}/v1/tools`, { headers: as(name) });
  for (let count = 0; count < 3; count++) assert.equal((await ask('ada')).status, 200);
  const refused = await ask('ada');
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal((await ask('bob')).status, 200);
  for (let count = 0; count < 20; count++) {
    const wrong = await fetch(`${limited.url}/v1/tools`, { headers: { authorization: `Bearer ${count}` } });
    assert.equal(wrong.status, 401);
  }
  const wrong = await fetch(`${limited.url}/v1/tools`, { headers: { authorization: 'Bearer x' } });
  assert.equal(wrong.status, 429);
  assert.equal((await ask('bob')).status, 200);
});

test('requests above the concurrency limit are refused at once, and reads continue', async () => {
  await using busy = await startServer({ server: { maxConcurrent: 1 } });
  const leaving = new AbortController();
  const body = JSON.stringify({ args: {} });
  const headers = { 'content-type': 'application/json' };
  const first = fetch(`${busy.url}/v1/tools/wait`, { method: 'POST', headers, body, signal: leaving.signal });
  first.catch(() => {});
  let second: Response;
  do second = await fetch(`${busy.url}/v1/tools/echo`, { method: 'POST', headers, body });
  while (second.status === 200);
  assert.equal(second.status, 429);
  assert.equal(second.headers.get('retry-after'), '1');
  assert.equal((await fetch(`${busy.url}/v1/tools`)).status, 200);
  leaving.abort();
});

test('access tokens that are missing, weak, duplicated or written into the configuration are refused at the start', async () => {
  const refuse = (tokens: unknown, message: RegExp) =>
    assert.rejects(startServer({ server: { tokens } as never }), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(!error.message.includes('secret-in-the-file'));
      return true;
    });
  await refuse([{ principal: 'ada', token: { $env: 'ADA' } }], /variable ADA is not set/);
  await refuse(
    [{ principal: 'ada', token: 'secret-in-the-file' }],
    /server\.tokens\[0\]\.token must be \{ "\$env": "NAME" \}, not text/,
  );
  await refuse([{ principal: 'ada' }], /exactly one of/);
  await refuse([{ principal: 'ada', tokenFile: './nowhere' }], /tokenFile cannot be read/);
  const twice = { tokenSha256: sha256('x') };
  await refuse(
    [
      { principal: 'ada', ...twice },
      { principal: 'bob', ...twice },
    ],
    /have the same token/,
  );
});

test('a change with the sign-in cookie needs the origin of this server, also with other credentials that a browser adds', async () => {
  const signedIn = await fetch(`${server.url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: secrets.ada }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const call = (headers: Record<string, string>): Promise<Answer> =>
    server.post('/v1/tools/echo', { args: {} }, { cookie, ...headers });
  for (const authorization of ['Basic dXNlcjpwdw==', 'Bearer', 'Negotiate YII=', '']) {
    const { status, body } = await call({ authorization });
    assert.equal(status, 403, authorization);
    assert.equal(body.error.code, 'E_ORIGIN_FORBIDDEN');
    assert.equal((await call({ authorization, origin: server.url })).status, 200, authorization);
  }
  assert.equal((await call(as('ada'))).status, 200);
});
