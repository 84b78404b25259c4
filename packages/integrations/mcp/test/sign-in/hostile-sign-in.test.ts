import assert from 'node:assert/strict';
import { systemClock } from '@ravi/kernel';
import { startProtectedServer } from '@ravi/mcp-testing';
import type { ProtectedServer } from '@ravi/mcp-testing';
import { createSafeFetch } from '@ravi/safe-fetch';
import { test } from 'vitest';
import { SignIn } from '../../src/sign-in/sign-in.ts';
import { createMemorySecrets } from '../../src/sign-in/stored-records.ts';
import { callback, fails, openSource, signInAs, signInOf } from '../support/sign-in.ts';

test('a code counts once, for the principal that began the sign-in, and only with its state', async () => {
  await using server = await startProtectedServer();
  const signIn = signInOf(server, createMemorySecrets());
  const unknown = fails('E_REQUEST_INVALID', /begin it again/);
  const { url } = await signIn.begin('ada', callback);
  const query = await server.visit(url, 'mallory');
  // Another person cannot plant its account on ada, nor take the account of ada.
  await assert.rejects(signIn.complete('bob', query), unknown);
  const other = await signIn.begin('bob', callback);
  await assert.rejects(signIn.complete('bob', query), unknown);
  await assert.rejects(signIn.complete('ada', await server.visit(other.url, 'bob')), unknown);
  const wrong = new URLSearchParams(query);
  wrong.set('state', 'x'.repeat(43));
  await assert.rejects(signIn.complete('ada', wrong), unknown);
  await signIn.complete('ada', query);
  await assert.rejects(signIn.complete('ada', query), unknown);
  assert.equal(await signIn.isSignedIn('bob'), false);
});

test('an answer of another authorization server is not used: mix-up', async () => {
  await using server = await startProtectedServer();
  const signIn = signInOf(server, createMemorySecrets());
  for (const iss of ['https://evil.example', undefined]) {
    const { url } = await signIn.begin('ada', callback);
    const query = await server.visit(url, 'ada');
    if (iss === undefined) query.delete('iss');
    else query.set('iss', iss);
    await assert.rejects(signIn.complete('ada', query), fails('E_SOURCE_UNAVAILABLE', /not the one it claims to be/));
  }
  assert.equal(server.tokenRequests.length, 0, 'the code went nowhere');
});

test('metadata that lies is refused before anything is sent to it', async () => {
  await using server = await startProtectedServer();
  await using evil = await startProtectedServer();
  const signIn = signInOf(server, createMemorySecrets());
  const cases: readonly (readonly [Partial<ProtectedServer>, RegExp])[] = [
    [{ resource: { resource: 'https://other.example/mcp' } }, /metadata is for another resource/],
    [{ resource: { resource: evil.url } }, /metadata is for another resource/],
    [{ metadata: { issuer: evil.issuer } }, /not the one it claims to be/],
    [{ metadata: { code_challenge_methods_supported: ['plain'] } }, /PKCE with S256/],
    [{ metadata: { code_challenge_methods_supported: undefined } }, /PKCE with S256/],
    [{ metadata: { token_endpoint: 'http://192.0.2.1/token' } }, /token_endpoint is neither https/],
    [{ metadata: { authorization_endpoint: 'http://example.org/authorize' } }, /authorization_endpoint is neither/],
    [{ metadata: { registration_endpoint: undefined } }, /registers no clients/],
    [{ metadata: { authorization_endpoint: 'javascript:alert(1)' } }, /neither https|not valid/],
  ];
  for (const [lie, words] of cases) {
    Object.assign(server, { resource: {}, metadata: {} }, lie);
    await assert.rejects(signIn.begin('ada', callback), fails('E_SOURCE_UNAVAILABLE', words));
  }
  assert.deepEqual(
    [...server.requests, ...evil.requests].filter((each) => each.startsWith('POST') && each !== 'POST /mcp'),
    [],
  );
});

test('metadata that leads to private addresses is refused without permission for them', async () => {
  await using inner = await startProtectedServer();
  // The address of the server itself is public in this test: only the connector decides.
  await using safe = createSafeFetch({ allowPrivateAddresses: false });
  const outer = 'https://mcp.example.com/mcp';
  const through: typeof fetch = async (input, init) => {
    const { host, pathname } = new URL(String(input instanceof Request ? input.url : input));
    if (host !== 'mcp.example.com') return safe(input, init);
    if (pathname === '/mcp') return new Response(null, { status: 401 });
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      return Response.json({ resource: outer, authorization_servers: [inner.issuer] });
    }
    return new Response(null, { status: 404 });
  };
  const signIn = new SignIn({
    name: 'files',
    serverUrl: outer,
    options: {},
    secrets: createMemorySecrets(),
    clock: systemClock,
    fetch: through,
  });
  await assert.rejects(signIn.begin('ada', callback), fails('E_SOURCE_UNAVAILABLE', /a sign-in cannot begin/));
  assert.deepEqual(inner.requests, []);
});

test('a body with a code or a token follows no redirect', async () => {
  await using server = await startProtectedServer();
  await using evil = await startProtectedServer();
  await using source = await openSource(server);
  const { url } = await source.signIn.begin('ada', callback);
  const query = await server.visit(url, 'ada');
  server.broken = { path: '/token', status: 307, body: '', location: `${evil.issuer}/token` };
  await assert.rejects(source.signIn.complete('ada', query), fails('E_SOURCE_UNAVAILABLE', /the sign-in failed/));
  assert.deepEqual(evil.requests, []);
});

test('a refresh token goes to the issuer that gave it, also if the server names another one later', async () => {
  await using server = await startProtectedServer();
  await using evil = await startProtectedServer();
  const signIn = signInOf(server, createMemorySecrets());
  await signInAs(server, signIn, 'ada');
  server.resource = { authorization_servers: [evil.issuer] };
  const auth = signIn.authOf('ada');
  const before = await auth.token();
  await auth.onUnauthorized?.({ response: new Response(null), serverUrl: new URL(server.url), fetchFn: fetch });
  assert.notEqual(await auth.token(), before);
  assert.deepEqual(evil.requests, []);
});

test('a server with the name of another, or another address for a name, gets no token of it', async () => {
  await using server = await startProtectedServer();
  await using evil = await startProtectedServer();
  const secrets = createMemorySecrets();
  await signInAs(server, signInOf(server, secrets), 'ada');
  const thief = signInOf(evil, secrets);
  assert.equal(await thief.isSignedIn('ada'), false);
  assert.equal(await thief.authOf('ada').token(), undefined);
  const other = new SignIn({
    name: 'files2',
    serverUrl: server.url,
    options: {},
    secrets,
    clock: systemClock,
    fetch,
  });
  assert.equal(await other.isSignedIn('ada'), false);
  await using source = await openSource(evil, secrets);
  assert.equal(source.open.remote?.status().state, 'sign-in');
  // A sign-in there takes the place, and does not give the old credentials back.
  await signInAs(evil, thief, 'ada');
  assert.equal(await signInOf(server, secrets).isSignedIn('ada'), false);
});

test('a configured client is bound to its issuer, so that no other authorization server gets its secret', async () => {
  await using server = await startProtectedServer();
  await using evil = await startProtectedServer();
  const secrets = createMemorySecrets();
  const parts = { name: 'files', serverUrl: server.url, secrets, clock: systemClock, fetch };
  const options = { clientId: 'client-x', clientSecret: 'the-secret-of-the-client' };
  const signIn = new SignIn({ ...parts, options });
  await signIn.begin('ada', callback);
  server.resource = { authorization_servers: [evil.issuer] };
  await assert.rejects(
    signIn.begin('ada', callback),
    fails('E_SOURCE_UNAVAILABLE', /authorization server has changed/),
  );
  const named = new SignIn({ ...parts, options: { ...options, issuer: server.issuer } });
  await assert.rejects(named.begin('ada', callback), fails('E_SOURCE_UNAVAILABLE', /not the configured issuer/));
  assert.equal(JSON.stringify(evil.requests).includes('POST'), false);
});

test('a configured client that its issuer does not accept stays bound to it', async () => {
  await using server = await startProtectedServer();
  await using evil = await startProtectedServer();
  const options = { clientId: 'client-x', clientSecret: 'the-secret-of-the-client' };
  const secrets = createMemorySecrets();
  const signIn = new SignIn({ name: 'files', serverUrl: server.url, options, secrets, clock: systemClock, fetch });
  const { url } = await signIn.begin('ada', callback);
  const answer = { state: new URL(url).searchParams.get('state') ?? '', iss: server.issuer, code: 'any' };
  await assert.rejects(
    signIn.complete('ada', new URLSearchParams(answer)),
    fails('E_SOURCE_UNAVAILABLE', /invalid_client/),
  );
  server.resource = { authorization_servers: [evil.issuer] };
  await assert.rejects(
    signIn.begin('ada', callback),
    fails('E_SOURCE_UNAVAILABLE', /authorization server has changed/),
  );
});

test('no code, token or verifier is in a log, a status or an error', async () => {
  await using server = await startProtectedServer();
  const secrets = createMemorySecrets();
  await using source = await openSource(server, secrets);
  const seen: unknown[] = [];
  const keep = (error: unknown): void => {
    for (let each = error as Error | undefined; each instanceof Error; each = each.cause as Error | undefined) {
      seen.push(each.message, each.stack, JSON.stringify(each));
    }
  };
  const { url } = await source.signIn.begin('ada', callback);
  const query = await server.visit(url, 'ada');
  const echo = JSON.stringify({ error: 'invalid_grant', error_description: String(query) });
  server.broken = { path: '/token', status: 400, body: echo };
  await source.signIn.complete('ada', query).catch(keep);
  server.broken = undefined;
  await signInAs(server, source.signIn, 'ada');
  await source.until(() => source.open.content().tools.length === 1);
  const sent = server.issued.filter((each) => each.startsWith('access-'));
  server.broken = { path: '/mcp', status: 500, body: `It was sent ${sent.join(' ')}` };
  await source.call('ada').catch(keep);
  server.broken = undefined;
  server.expireTokens();
  const issued = server.issued.join(' ');
  server.broken = { path: '/token', status: 500, body: JSON.stringify({ error: issued, access_token: issued }) };
  await source.call('ada').catch(keep);
  server.broken = { path: '/token', status: 200, body: `not JSON ${issued}` };
  await source.call('ada').catch(keep);
  seen.push(source.logger.records, source.open.remote?.status(), source.open.content());
  const text = JSON.stringify(seen);
  assert.ok(seen.length > 6);
  for (const value of server.issued) assert.ok(!text.includes(value), `${value} is visible`);
});
