import assert from 'node:assert/strict';
import { isKernelError, isLocalTool, systemClock } from '@ravi/kernel';
import type { ElicitationRequest, OpenToolSource, SecretStore, ToolContext, ToolSourceSignIn } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, createToolContext } from '@ravi/testkit';
import { test } from 'vitest';
import { createMcpSource } from '../../src/index.ts';
import type { HttpServerOptions } from '../../src/index.ts';
import { SignIn } from '../../src/sign-in/sign-in.ts';
import { createMemorySecrets } from '../../src/sign-in/stored-records.ts';
import { startProtectedServer } from '@ravi/mcp-testing';
import type { ProtectedServer } from '@ravi/mcp-testing';

const callback = 'http://127.0.0.1:9/servers/callback';

/** Open source with the parts that a host has. */
interface Opened extends AsyncDisposable {
  readonly open: OpenToolSource;
  readonly signIn: ToolSourceSignIn;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  until(holds: () => boolean): Promise<void>;
  /** Calls `whoami` and returns its text. */
  call(principal: string, context?: Partial<ToolContext>): Promise<string>;
}

async function openSource(
  server: Pick<ProtectedServer, 'url'>,
  secrets: SecretStore = createMemorySecrets(),
  more: Partial<HttpServerOptions> = {},
): Promise<Opened> {
  const logger = createMemoryLogger();
  let wake = Promise.withResolvers<void>();
  const options = { name: 'files', url: server.url, allowPrivateAddresses: true, signIn: {}, ...more };
  const open = await createMcpSource(options, { clock: systemClock, logger, secrets }).open({
    signal: new AbortController().signal,
    onChange() {
      wake.resolve();
      wake = Promise.withResolvers<void>();
    },
    signInUrl: () => 'http://127.0.0.1:9/servers?signIn=files',
  });
  const signIn = open.remote?.signIn;
  assert.ok(signIn);
  return {
    open,
    signIn,
    logger,
    async until(holds) {
      while (!holds()) await wake.promise;
    },
    async call(principal, context = {}) {
      const tool = open.content().tools.find(({ name }) => name === 'files__whoami');
      assert.ok(tool !== undefined && isLocalTool(tool));
      const { content } = await tool.execute({}, createToolContext({ principal, ...context }));
      const [block] = content as readonly { readonly text: string }[];
      return block?.text ?? '';
    },
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

async function signInAs(server: ProtectedServer, signIn: ToolSourceSignIn, principal: string): Promise<void> {
  const { url } = await signIn.begin(principal, callback);
  await signIn.complete(principal, await server.visit(url, principal));
}

function signInOf(server: ProtectedServer, secrets: SecretStore, clock = systemClock): SignIn {
  return new SignIn({ name: 'files', serverUrl: server.url, options: {}, secrets, clock, fetch });
}

function fails(code: string, words: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isKernelError(error, code), String(error));
    assert.match(error.message, words);
    return true;
  };
}

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
  await source.signIn.complete('ada', await server.visit(url, 'ada'));
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
  const { createSafeFetch } = await import('@ravi/safe-fetch');
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
    await source.signIn.complete('ada', await server.visit(url, 'ada'));
    return { action: 'accept' };
  };
  assert.equal(await source.call('ada', { elicit }), 'ada');
  assert.deepEqual(scopes, ['read write']);
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

// The error that the invoker throws for a request that was withdrawn.
function withKernelErrors(elicit: ToolContext['elicit']): ToolContext['elicit'] {
  return async (request, options) => {
    try {
      return await elicit(request, options);
    } catch (error) {
      const { KernelError } = await import('@ravi/kernel');
      throw new KernelError('E_CANCELLED', 'The request was withdrawn', { cause: error });
    }
  };
}
