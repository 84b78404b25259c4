import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { ElicitationRequest, ToolContext } from '@ravi/kernel';
import { startProtectedServer } from '@ravi/mcp-testing';
import { createFakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { createMemorySecrets } from '../../src/sign-in/stored-records.ts';
import { callback, fails, openSource, signInAs, signInOf } from '../support/sign-in.ts';

test('a server without a sign-in shows no tools, and each caller then calls it as itself', async () => {
  await using server = await startProtectedServer();
  await using source = await openSource(server);
  assert.equal(source.open.remote?.status().state, 'sign-in');
  assert.deepEqual(source.open.content().tools, []);
  assert.equal(await source.signIn.isSignedIn('ada'), false);

  const { url } = await source.signIn.begin('ada', callback);
  const asked = new URL(url).searchParams;
  assert.deepEqual(
    ['code_challenge_method', 'resource', 'scope', 'redirect_uri'].map((name) => asked.get(name)),
    ['S256', server.url, 'read', callback],
  );
  await source.signIn.complete('ada', await server.visit(url, 'ada'), { definesTools: true });
  await source.until(() => source.open.remote?.status().state === 'ready');
  assert.equal(source.open.content().tools.length, 1);
  assert.equal(await source.call('ada'), 'ada');

  await signInAs(server, source.signIn, 'bob');
  assert.deepEqual(await Promise.all([source.call('bob'), source.call('ada')]), ['bob', 'ada']);
  // One registration for the installation.
  assert.equal(server.clients.size, 1);
});

test('a call of a caller that has not signed in asks it with a page, and continues after the sign-in', async () => {
  await using server = await startProtectedServer();
  await using source = await openSource(server);
  await signInAs(server, source.signIn, 'ada');
  await source.until(() => source.open.content().tools.length === 1);

  const asked = Promise.withResolvers<ElicitationRequest>();
  const withdrawn = Promise.withResolvers<void>();
  const elicit: ToolContext['elicit'] = (request, { signal } = {}) => {
    asked.resolve(request);
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        withdrawn.resolve();
        reject(Object.assign(new Error('withdrawn'), { code: 'E_CANCELLED' }));
      });
    });
  };
  const call = source.call('bob', { elicit: withKernelErrors(elicit) });
  const request = await asked.promise;
  assert.deepEqual(
    [request.mode, request.mode === 'url' && request.url],
    ['url', 'http://127.0.0.1:9/servers?signIn=files'],
  );
  assert.match(request.message, /"files" \(127\.0\.0\.1:/);
  await signInAs(server, source.signIn, 'bob');
  await withdrawn.promise;
  assert.equal(await call, 'bob');

  for (const answer of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept' }] as const) {
    await assert.rejects(
      source.call('eve', { elicit: async () => answer }),
      fails('E_SIGN_IN_REQUIRED', /sign in at the MCP server files/),
    );
  }
  // Without a person to ask.
  await assert.rejects(source.call('eve'), fails('E_SIGN_IN_REQUIRED', /ravi mcp login files/));
});

test('a caller that may not define tools calls them with its credentials, and no list is read with them', async () => {
  await using server = await startProtectedServer();
  await using source = await openSource(server);
  await signInAs(server, source.signIn, 'eve', false);
  await source.open.remote?.reconnect();
  assert.deepEqual(
    [source.open.remote?.status().state, source.open.content().tools, await source.signIn.isSignedIn('eve')],
    ['sign-in', [], true],
  );
  assert.match(source.open.remote?.status().message ?? '', /once a caller that may accept definitions .* signed in/);
  await signInAs(server, source.signIn, 'root');
  await source.until(() => source.open.content().tools.length === 1);
  assert.equal(await source.call('eve'), 'eve');
  // The one that signs in last does not become the reader, and its sign-out is not the end of the list.
  await signInAs(server, source.signIn, 'eve', false);
  await source.signIn.signOut('eve');
  await source.open.remote?.reconnect();
  assert.equal(source.open.remote?.status().state, 'ready');
  // Without the right it had before, it is no longer the reader.
  await signInAs(server, source.signIn, 'root', false);
  await source.until(() => source.open.remote?.status().state === 'sign-in');
});

test('credentials and the list of tools outlive the process', async () => {
  await using server = await startProtectedServer();
  const secrets = createMemorySecrets();
  {
    await using source = await openSource(server, secrets);
    await signInAs(server, source.signIn, 'ada');
  }
  await using source = await openSource(server, secrets);
  assert.equal(source.open.remote?.status().state, 'ready');
  assert.equal(await source.call('ada'), 'ada');
  assert.equal(server.clients.size, 1);
});

test('a refused token is renewed once for all calls, and no token is used twice', async () => {
  await using server = await startProtectedServer();
  await using source = await openSource(server);
  await signInAs(server, source.signIn, 'ada');
  await source.until(() => source.open.content().tools.length === 1);
  assert.equal(await source.call('ada'), 'ada');
  server.expireTokens();
  const names = await Promise.all(Array.from({ length: 10 }, () => source.call('ada')));
  assert.deepEqual(new Set(names), new Set(['ada']));
  const used = server.tokenRequests.map((body) => body.get('refresh_token')).filter((each) => each !== null);
  assert.equal(new Set(used).size, used.length);
});

test('of two processes one renews a token, and both use it', async () => {
  await using server = await startProtectedServer();
  const secrets = createMemorySecrets();
  const processes = [signInOf(server, secrets), signInOf(server, secrets), signInOf(server, secrets)] as const;
  await signInAs(server, processes[0], 'ada');
  const stale = await processes[0].authOf('ada').token();
  const renewed = await Promise.all(
    processes.map(async (each) => {
      const auth = each.authOf('ada');
      assert.equal(await auth.token(), stale);
      await auth.onUnauthorized?.({ response: new Response(null), serverUrl: new URL(server.url), fetchFn: fetch });
      return auth.token();
    }),
  );
  assert.equal(new Set(renewed).size, 1);
  assert.notEqual(renewed[0], stale);
  assert.equal(server.tokenRequests.filter((body) => body.get('grant_type') === 'refresh_token').length, 1);
});

test('a token is renewed before it expires, and an unreachable authorization server is not the end of a sign-in', async () => {
  await using server = await startProtectedServer();
  const clock = createFakeClock();
  const signIn = signInOf(server, createMemorySecrets(), clock);
  await signInAs(server, signIn, 'ada');
  const first = await signIn.authOf('ada').token();
  clock.advance(3_600_000 - 60_000);
  server.broken = { path: '/token', status: 503, body: '{"error":"temporarily_unavailable"}' };
  await assert.rejects(
    async () => signIn.authOf('ada').token(),
    fails('E_SOURCE_UNAVAILABLE', /could not be renewed: the authorization server answered temporarily_unavailable/),
  );
  assert.equal(await signIn.isSignedIn('ada'), true);
  server.broken = undefined;
  const second = await signIn.authOf('ada').token();
  assert.ok(second !== undefined && second !== first);
});

test('a sign-in ends when its refresh token or its client is gone, and the next one registers again', async () => {
  await using server = await startProtectedServer();
  const signIn = signInOf(server, createMemorySecrets());
  await signInAs(server, signIn, 'ada');
  server.clients.clear();
  const auth = signIn.authOf('ada');
  await auth.token();
  await assert.rejects(
    async () => auth.onUnauthorized?.({ response: new Response(null), serverUrl: new URL(server.url), fetchFn: fetch }),
    fails('E_SIGN_IN_REQUIRED', /sign in/),
  );
  assert.equal(await signIn.isSignedIn('ada'), false);
  await signInAs(server, signIn, 'ada');
  assert.equal(await signIn.isSignedIn('ada'), true);
  assert.equal(server.requests.filter((each) => each === 'POST /register').length, 2);
});

test('a sign-in that took too long or was refused is over', async () => {
  await using server = await startProtectedServer();
  const clock = createFakeClock();
  const signIn = signInOf(server, createMemorySecrets(), clock);
  const late = await server.visit((await signIn.begin('ada', callback)).url, 'ada');
  clock.advance(600_000);
  await assert.rejects(signIn.complete('ada', late), fails('E_REQUEST_INVALID', /begin it again/));

  const { url } = await signIn.begin('ada', callback);
  const refusal = { state: new URL(url).searchParams.get('state') ?? '', iss: server.issuer, error: 'access_denied' };
  await assert.rejects(
    signIn.complete('ada', new URLSearchParams({ ...refusal, error_description: '<b>call 555</b>' })),
    (error) => fails('E_SOURCE_UNAVAILABLE', /ended with access_denied$/)(error),
  );
});

test('a sign-out forgets the credentials and revokes them', async () => {
  await using server = await startProtectedServer();
  await using source = await openSource(server);
  await signInAs(server, source.signIn, 'ada');
  await source.until(() => source.open.content().tools.length === 1);
  assert.equal(await source.call('ada'), 'ada');
  await source.signIn.signOut('ada');
  assert.equal(await source.signIn.isSignedIn('ada'), false);
  assert.equal(server.revoked.length, 2);
  await source.until(() => source.open.remote?.status().state === 'sign-in');
});

test('a call for which a scope is missing asks to sign in with it', async () => {
  await using server = await startProtectedServer({ neededScope: 'write' });
  await using source = await openSource(server);
  await signInAs(server, source.signIn, 'ada');
  await source.until(() => source.open.content().tools.length === 1);
  const scopes: (string | null)[] = [];
  const elicit: ToolContext['elicit'] = async () => {
    const { url } = await source.signIn.begin('ada', callback);
    scopes.push(new URL(url).searchParams.get('scope'));
    await source.signIn.complete('ada', await server.visit(url, 'ada'), { definesTools: true });
    return { action: 'accept' };
  };
  assert.equal(await source.call('ada', { elicit }), 'ada');
  assert.deepEqual(scopes, ['read write']);
});

// The error that the invoker throws for a request that was withdrawn.
function withKernelErrors(elicit: ToolContext['elicit']): ToolContext['elicit'] {
  return async (request, options) => {
    try {
      return await elicit(request, options);
    } catch (error) {
      throw new KernelError('E_CANCELLED', 'The request was withdrawn', { cause: error });
    }
  };
}
