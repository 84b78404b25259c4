import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import type { ApproverToken } from '../src/index.ts';
import { approvers, openScene, requestTo, tokens } from './support/handler.ts';
import type { Answer, Scene } from './support/handler.ts';

const path = '/v1/approvals';
const origin = 'http://127.0.0.1:7341';

function assertProblem({ status, body }: Answer, expected: number, code: string): void {
  assert.deepEqual([status, body.error.code], [expected, code], JSON.stringify(body));
}

/** Signs in and gives what a browser would send from then on. */
async function signIn(
  { send }: Scene,
  token: string = tokens.ada,
): Promise<{ readonly cookie: string; readonly header: string }> {
  const { status, headers } = await send('POST', `${path}/session`, {
    body: { token },
    token: '',
    headers: { origin },
  });
  assert.equal(status, 200);
  const header = headers.get('set-cookie') ?? '';
  return { cookie: header.split(';', 1)[0] ?? '', header };
}

test('without a token or with a wrong one every request is refused', async () => {
  const { send, keep } = openScene();
  await keep();
  for (const headers of [
    {},
    { authorization: 'Bearer wrong' },
    { authorization: `Basic ${tokens.ada}` },
    { authorization: `Bearer ${tokens.ada}x` },
    { authorization: `Bearer ${createHash('sha256').update(tokens.ada).digest('hex')}` },
    { cookie: `ravi_approvals=${tokens.ada}` },
  ]) {
    for (const target of ['', '/approval-1', '/events', '/session']) {
      const answer = await send('GET', `${path}${target}`, { token: '', headers, address: JSON.stringify(headers) });
      assertProblem(answer, 401, 'E_UNAUTHENTICATED');
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
    const body = { decision: 'approved' };
    const decided = await send('POST', `${path}/approval-1/decision`, {
      body,
      token: '',
      headers: { origin, ...headers },
      address: JSON.stringify(headers),
    });
    assertProblem(decided, 401, 'E_UNAUTHENTICATED');
  }
});

test('a token may be configured as its hash alone', async () => {
  const tokenSha256 = createHash('sha256').update(tokens.bob).digest('hex');
  const { send } = openScene({ tokens: [{ tokenSha256, principal: 'bob' }] });
  assert.equal((await send('GET', `${path}/session`, { token: tokens.bob })).body.principal, 'bob');
  assertProblem(await send('GET', path, { token: tokenSha256 }), 401, 'E_UNAUTHENTICATED');
});

test('a configuration with weak, missing or doubled tokens is refused by place', () => {
  const tokenSha256 = createHash('sha256').update(tokens.ada).digest('hex');
  const refused = (list: readonly ApproverToken[], message: RegExp) =>
    assert.throws(
      () => openScene({ tokens: list }),
      (error) => isKernelError(error, 'E_CONFIG_INVALID') && message.test(error.message),
    );
  refused([], /tokens must not be empty/);
  refused([...approvers, { token: 'short', principal: 'x' }], /tokens\[3\]\.token has 5 characters/);
  refused([{ principal: 'x' }], /exactly one of/);
  refused([{ token: tokens.ada, tokenSha256, principal: 'x' }], /exactly one of/);
  refused([{ tokenSha256: 'abc', principal: 'x' }], /64 lower-case/);
  refused(
    [
      { token: tokens.ada, principal: 'x' },
      { tokenSha256, principal: 'y' },
    ],
    /the same token/,
  );
});

test('signing in gives a cookie that no script and no other site can use, and that ends', async () => {
  const scene = openScene({ sessionTtlMs: 60_000 });
  const { send, clock } = scene;
  const { cookie, header } = await signIn(scene);
  assert.match(header, /; HttpOnly; SameSite=Strict; Max-Age=60$/);
  assert.ok(!header.includes(tokens.ada));
  const who = await send('GET', `${path}/session`, { token: '', headers: { cookie } });
  assert.deepEqual(who.body, { principal: 'ada', roles: ['approve'], expiresAt: clock.now() + 60_000 });
  clock.advance(60_000);
  assertProblem(await send('GET', path, { token: '', headers: { cookie } }), 401, 'E_UNAUTHENTICATED');
});

test('over HTTPS the cookie is for HTTPS only', async () => {
  const { handler } = openScene({ allowedHosts: ['ravi.example'] });
  const request = new Request(requestTo('POST', `${path}/session`, { body: { token: tokens.ada } }), {
    headers: { 'content-type': 'application/json', host: 'ravi.example', origin: 'https://ravi.example' },
  });
  assert.match((await handler.fetch(request)).headers.get('set-cookie') ?? '', /; Secure$/);
});

test('a cookie cannot be forged, prolonged or used for another', async () => {
  const scene = openScene();
  const { cookie } = await signIn(scene);
  const [expiresAt, nonce, signature] = cookie.split('=')[1]?.split('.') ?? [];
  const late = String(Number(expiresAt) + 1);
  for (const forged of [
    `${late}.${nonce}.${signature}`,
    `${expiresAt}.${'A'.repeat(22)}.${signature}`,
    `${expiresAt}.${nonce}.${'A'.repeat(43)}`,
    `${expiresAt}.${nonce}.`,
    'x',
  ]) {
    const headers = { cookie: `ravi_approvals=${forged}` };
    assertProblem(await scene.send('GET', path, { token: '', headers }), 401, 'E_UNAUTHENTICATED');
  }
});

test('a session outlives the process and ends with its token', async () => {
  const { cookie } = await signIn(openScene());
  const headers = { cookie: `other=1; ${cookie}` };
  const restarted = await openScene().send('GET', path, { token: '', headers });
  assert.equal(restarted.status, 200);
  const without = await openScene({ tokens: approvers.slice(1) }).send('GET', path, { token: '', headers });
  assertProblem(without, 401, 'E_UNAUTHENTICATED');
});

test('a session for a hashed token ends with the process, since a reader of the hash could sign another', async () => {
  const hashed = [{ tokenSha256: createHash('sha256').update(tokens.ada).digest('hex'), principal: 'ada' }];
  const scene = openScene({ tokens: hashed });
  const { cookie } = await signIn(scene);
  assert.equal((await scene.send('GET', path, { token: '', headers: { cookie } })).status, 200);
  const restarted = await openScene({ tokens: hashed }).send('GET', path, { token: '', headers: { cookie } });
  assertProblem(restarted, 401, 'E_UNAUTHENTICATED');
});

test('signing out makes the browser forget', async () => {
  const { send } = openScene();
  const { status, headers } = await send('DELETE', `${path}/session`, { headers: { origin } });
  assert.equal(status, 204);
  assert.match(headers.get('set-cookie') ?? '', /^ravi_approvals=; .*Max-Age=0$/);
});

test('no page of another site can decide, read or sign in', async () => {
  const scene = openScene();
  await scene.keep();
  const { cookie } = await signIn(scene);
  const body = { decision: 'approved' };
  const decide = (headers: Readonly<Record<string, string>>, token = '') =>
    scene.send('POST', `${path}/approval-1/decision`, { body, token, headers });
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:9999' },
    { origin: 'http://localhost:7341' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    assertProblem(await decide({ cookie, ...headers }), 403, 'E_ORIGIN_FORBIDDEN');
    assertProblem(await decide(headers, tokens.ada), 403, 'E_ORIGIN_FORBIDDEN');
    assertProblem(await scene.send('GET', path, { headers }), 403, 'E_ORIGIN_FORBIDDEN');
    const token = { body: { token: tokens.ada }, token: '', headers };
    assertProblem(await scene.send('POST', `${path}/session`, token), 403, 'E_ORIGIN_FORBIDDEN');
  }
  assertProblem(await decide({ cookie }), 403, 'E_ORIGIN_FORBIDDEN');
  assert.equal((await scene.store.get('approval-1'))?.status, 'pending');
  assert.equal((await decide({ cookie, origin })).status, 200);
});

test('a name that was made to point at this machine is not this server, unless it was allowed', async () => {
  const { send } = openScene({ allowedHosts: ['ravi.example:8443', 'office.example'] });
  const to = (host: string) => send('GET', path, { headers: { host } });
  for (const host of [
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'ravi.example',
    '',
    '10.0.0.1',
  ]) {
    assertProblem(await to(host), 403, 'E_ORIGIN_FORBIDDEN');
  }
  for (const host of ['127.0.0.1:1', 'localhost', '[::1]:7341', 'ravi.example:8443', 'office.example:99']) {
    assert.equal((await to(host)).status, 200, host);
  }
});

test('a token that sends too much learns when to retry, and slows down no other', async () => {
  const { send, clock } = openScene({ requestsPerMinute: 30 });
  for (let count = 0; count < 30; count++) assert.equal((await send('GET', path)).status, 200);
  const refused = await send('GET', path);
  assertProblem(refused, 429, 'E_RATE_LIMITED');
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.equal((await send('GET', path, { token: tokens.bob })).status, 200);
  clock.advance(2_000);
  assert.equal((await send('GET', path)).status, 200);
  assertProblem(await send('GET', path), 429, 'E_RATE_LIMITED');
});

test('after too many unknown tokens from an address further ones are refused, known tokens and sessions never', async () => {
  const scene = openScene({ failuresPerMinute: 5 });
  const { send, clock } = scene;
  const { cookie } = await signIn(scene);
  for (let count = 0; count < 5; count++) {
    assertProblem(await send('GET', path, { token: `wrong-${count}` }), 401, 'E_UNAUTHENTICATED');
  }
  assertProblem(await send('GET', path, { token: 'wrong' }), 429, 'E_RATE_LIMITED');
  assertProblem(await send('POST', `${path}/session`, { body: { token: 'wrong' }, token: '' }), 429, 'E_RATE_LIMITED');
  assert.equal((await send('GET', path)).status, 200);
  assert.equal((await send('GET', path, { token: '', headers: { cookie } })).status, 200);
  assertProblem(await send('GET', path, { token: 'wrong', address: '10.0.0.9' }), 401, 'E_UNAUTHENTICATED');
  clock.advance(12_000);
  assertProblem(await send('GET', path, { token: 'wrong' }), 401, 'E_UNAUTHENTICATED');
});

test('every answer forbids to frame it, to guess its type and to keep it', async () => {
  const scene = openScene();
  for (const answer of [
    await scene.send('GET', path),
    await scene.send('GET', '/nothing'),
    await scene.send('GET', path, { token: '' }),
  ]) {
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin');
  }
  const page = await scene.handler.fetch(requestTo('GET', '/approvals'));
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(page.headers.get('x-frame-options'), 'DENY');
});

test('the page is one document that loads nothing and holds no data', async () => {
  const { handler, keep } = openScene();
  await keep({ summary: 'a secret' });
  const page = await handler.fetch(requestTo('GET', '/approvals'));
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const html = await page.text();
  assert.doesNotMatch(html, /\bsrc=|https?:\/\/(?!www\.w3\.org)|@import|a secret/);
  assert.equal(html.match(/<script/g)?.length, 1);
  const redirected = await handler.fetch(requestTo('GET', '/approvals/'));
  assert.deepEqual([redirected.status, redirected.headers.get('location')], [308, '../approvals']);
});
