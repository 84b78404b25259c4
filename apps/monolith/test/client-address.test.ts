import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { createClientAddress } from '../src/http/access/client-address.ts';
import { as, secrets, startSecuredServer } from './support/callers.ts';
import type { TestServer } from './support/server.ts';

const proxies = ['10.0.0.0/8', '127.0.0.1', '2001:db8::/32'];

function addressOf(peer: string, headers: Record<string, string>, trusted: readonly string[] = proxies): string {
  return createClientAddress(trusted)(peer, new Headers(headers));
}

test('without trusted proxies the headers of a client do not count', () => {
  assert.equal(addressOf('192.0.2.1', { 'x-forwarded-for': '1.1.1.1', forwarded: 'for=1.1.1.1' }, []), '192.0.2.1');
  assert.equal(addressOf('192.0.2.1', { 'x-forwarded-for': '1.1.1.1' }), '192.0.2.1');
});

test('the client is the first untrusted address from the right', () => {
  assert.equal(addressOf('127.0.0.1', { 'x-forwarded-for': '6.6.6.6, 192.0.2.7, 10.1.2.3' }), '192.0.2.7');
  assert.equal(addressOf('::ffff:127.0.0.1', { 'x-forwarded-for': '192.0.2.7:4711' }), '192.0.2.7');
  assert.equal(
    addressOf('10.0.0.1', { forwarded: 'for=6.6.6.6, for="[2001:db9::1]:80";proto=https, For=10.9.9.9' }),
    '2001:db9::1',
  );
  assert.equal(addressOf('2001:db8::5', { 'x-forwarded-for': '10.1.1.1' }), '10.1.1.1');
});

test('unreadable and contradictory headers leave the address of the proxy', () => {
  for (const value of ['', 'unknown', '192.0.2.7, _hidden', '192.0.2.7,', '999.1.1.1']) {
    assert.equal(addressOf('127.0.0.1', { 'x-forwarded-for': value }), '127.0.0.1', value);
  }
  assert.equal(addressOf('127.0.0.1', { forwarded: 'proto=https' }), '127.0.0.1');
  assert.equal(addressOf('127.0.0.1', { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.8' }), '127.0.0.1');
});

test('an entry that is not an address or a range is refused by name', () => {
  for (const range of ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::1/129', '/8']) {
    assert.throws(
      () => createClientAddress([range]),
      (error) => isKernelError(error, 'E_CONFIG_INVALID') && error.message.includes(`"${range}"`),
      range,
    );
  }
});

async function statusOf(server: TestServer, headers: Record<string, string>): Promise<number> {
  return (await fetch(`${server.url}/v1/tools`, { headers })).status;
}

test('with a trusted proxy, unknown tokens of one client limit neither other clients nor valid tokens', async () => {
  await using server = await startSecuredServer({ trustedProxies: ['127.0.0.1'] });
  const wrong = (client: string) => statusOf(server, { authorization: 'Bearer wrong', 'x-forwarded-for': client });
  for (let count = 0; count < 20; count++) assert.equal(await wrong('192.0.2.1'), 401);
  assert.equal(await wrong('192.0.2.1'), 429);
  assert.equal(await wrong('6.6.6.6, 192.0.2.1'), 429);
  assert.equal(await wrong('192.0.2.2'), 401);
  assert.equal(await statusOf(server, { ...as('ada'), 'x-forwarded-for': '192.0.2.1' }), 200);
});

test('a change with a cookie needs the own origin', async () => {
  await using server = await startSecuredServer();
  const headers = { 'content-type': 'application/json' };
  const signIn = await fetch(`${server.url}/v1/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token: secrets.ada }),
  });
  assert.equal(signIn.status, 200);
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const call = async (more: Record<string, string>): Promise<number> =>
    (await server.post('/v1/tools/echo', { args: {} }, { cookie, ...more })).status;
  assert.equal(await call({ origin: server.url }), 200);
  assert.equal(await call({ 'sec-fetch-site': 'same-origin' }), 200);
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(await call({ 'sec-fetch-site': site }), 403, site);
  assert.equal(await call({ origin: server.url, 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await call({ origin: 'https://evil.example' }), 403);
  assert.equal(await call({ origin: 'null' }), 403);
  assert.equal(await call({}), 403);
  assert.equal((await server.post('/v1/tools/echo', { args: {} }, as('ada'))).status, 200);
});

test('the cookie of a sign-in is Secure if a trusted proxy reports TLS', async () => {
  const cookieOf = async (server: TestServer, headers: Record<string, string>): Promise<string> => {
    const response = await fetch(`${server.url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token: secrets.ada }),
    });
    assert.equal(response.status, 200);
    return response.headers.get('set-cookie') ?? '';
  };
  await using proxied = await startSecuredServer({ trustedProxies: ['127.0.0.1'] });
  for (const headers of [
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-proto': 'HTTPS, http' },
    { forwarded: 'for=192.0.2.7; Proto="https", for=10.0.0.1;proto=http' },
  ]) {
    assert.match(await cookieOf(proxied, headers), /; Secure(?:;|$)/, JSON.stringify(headers));
  }
  for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'http, https' }]) {
    assert.doesNotMatch(await cookieOf(proxied, headers), /Secure/, JSON.stringify(headers));
  }
  await using direct = await startSecuredServer();
  assert.doesNotMatch(await cookieOf(direct, { 'x-forwarded-proto': 'https' }), /Secure/);
});
