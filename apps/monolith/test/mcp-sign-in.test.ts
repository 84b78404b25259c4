import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { startProtectedServer } from '@ravi/mcp-testing';
import type { ProtectedServer } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { as, secrets, sha256 } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { startServer, stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
type Body = any;

function configOf({ url }: Pick<ProtectedServer, 'url'>): RaviConfig {
  const callers = [
    ['ada', 'approve'],
    ['bob', 'run'],
    ['root', 'admin'],
  ] as const;
  return {
    server: {
      requestsPerMinute: 1_000_000,
      tokens: callers.map(([principal, role]) => ({
        principal,
        tokenSha256: sha256(secrets[principal]),
        roles: role === 'admin' ? [role] : ['run', role],
      })),
    },
    policy: { maxRiskUnapproved: 'high' },
    plugins: {
      toolSource: [{ use: '@ravi/mcp', name: 'files', url, allowPrivateAddresses: true, signIn: {} }],
    },
  };
}

async function send(
  { url }: TestServer,
  caller: CallerName,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Body }> {
  const headers = { 'content-type': 'application/json', ...as(caller) };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${url}/v1${path}`, { method, headers, ...content });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Signs in as a browser would: begin, visit the authorization server, come back with the query. */
async function signIn(server: TestServer, protectedServer: ProtectedServer, caller: CallerName): Promise<void> {
  const { body } = await send(server, caller, 'POST', '/sources/files/sign-in');
  const query = String(await protectedServer.visit(body.url, caller));
  const completed = await send(server, caller, 'POST', '/sources/callback', { query });
  assert.deepEqual([completed.status, completed.body], [200, { source: 'files' }]);
}

async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const callOf = (server: TestServer, caller: CallerName) => send(server, caller, 'POST', '/tools/files__whoami', {});

async function untilOffered(server: TestServer): Promise<void> {
  await until(async () => {
    const { body } = await send(server, 'root', 'GET', '/sources');
    const source = body.items.find(({ name }: Body) => name === 'files');
    return source.state === 'ready' && source.tools.length === 1 ? true : undefined;
  });
}

test('each caller signs in for itself; a call of one that has not asks it, and continues after the sign-in', async () => {
  await using remote = await startProtectedServer();
  await using server = await startServer(configOf(remote), {}, { isServer: true });
  const before = await send(server, 'ada', 'GET', '/sources');
  const source = before.body.items.find(({ name }: Body) => name === 'files');
  assert.deepEqual([source.state, source.signIn, source.tools], ['sign-in', { isSignedIn: false }, []]);

  await signIn(server, remote, 'ada');
  await untilOffered(server);
  assert.equal((await callOf(server, 'ada')).body.text, 'ada');

  const call = callOf(server, 'bob');
  const request = await until(async () => {
    const { body } = await send(server, 'bob', 'GET', '/approvals?status=undecided');
    return body.items[0];
  });
  assert.deepEqual(
    [request.principal, request.tool, request.elicitation.url],
    ['bob', 'files__whoami', `${server.url}/servers?signIn=files`],
  );
  // Not even an administrator can sign in for bob.
  const foreign = await send(server, 'root', 'POST', `/approvals/${request.id}/decision`, { decision: 'approved' });
  assert.deepEqual([foreign.status, foreign.body.error.code], [403, 'E_FORBIDDEN']);
  await signIn(server, remote, 'bob');
  assert.equal((await call).body.text, 'bob');
  const { body } = await send(server, 'bob', 'GET', `/approvals/${request.id}`);
  assert.equal(body.approval.status, 'withdrawn');
});

test('a caller with the role run signs in for its own calls and never decides which tools others are offered', async () => {
  await using remote = await startProtectedServer();
  await using server = await startServer(configOf(remote), {}, { isServer: true });
  const sourceFor = async (caller: CallerName): Promise<Body> =>
    (await send(server, caller, 'GET', '/sources')).body.items.find(({ name }: Body) => name === 'files');
  await signIn(server, remote, 'bob');
  await send(server, 'root', 'POST', '/sources/files/reconnect');
  const { state, tools, message } = await sourceFor('root');
  assert.deepEqual([state, tools], ['sign-in', []]);
  assert.match(message, /once a caller that may accept definitions of tools has signed in/);
  assert.deepEqual((await sourceFor('bob')).signIn, { isSignedIn: true });
  await signIn(server, remote, 'root');
  await untilOffered(server);
  assert.equal((await callOf(server, 'bob')).body.text, 'bob');
});

test('a callback counts for the caller that began the sign-in, and once', async () => {
  await using remote = await startProtectedServer();
  await using server = await startServer(configOf(remote), {}, { isServer: true });
  const { body } = await send(server, 'ada', 'POST', '/sources/files/sign-in');
  const query = String(await remote.visit(body.url, 'mallory'));
  const complete = (caller: CallerName) => send(server, caller, 'POST', '/sources/callback', { query });
  assert.equal((await complete('bob')).body.error.code, 'E_REQUEST_INVALID');
  assert.equal((await complete('ada')).status, 200);
  assert.equal((await complete('ada')).body.error.code, 'E_REQUEST_INVALID');
});

test('tokens are encrypted where they are stored, in no response, and gone after a sign-out', async () => {
  await using remote = await startProtectedServer();
  await using server = await startServer(configOf(remote), {}, { isServer: true });
  await signIn(server, remote, 'ada');
  await untilOffered(server);
  await callOf(server, 'ada');
  remote.expireTokens();
  const { body: run } = await send(server, 'ada', 'POST', '/chains', { code: 'return await tools.files__whoami({})' });
  const seen: unknown[] = [run];
  for (const path of ['/sources', '/approvals', `/runs/${run.runId}`, '/runs']) {
    seen.push((await send(server, 'root', 'GET', path)).body);
  }
  const { values } = stateStoreOf(server.monolith);
  const areas = ['mcp-credentials', 'mcp-clients', 'mcp-sign-ins', 'mcp-readers'];
  for (const area of areas) for (const principal of ['ada', '']) seen.push(await values.list({ area, principal }));
  const text = JSON.stringify(seen);
  assert.match(text, /"v1\.[\w-]{40}/);
  for (const secret of remote.issued) assert.ok(!text.includes(secret), secret);

  assert.equal((await send(server, 'ada', 'DELETE', '/sources/files/sign-in')).status, 204);
  assert.deepEqual(await values.list({ area: 'mcp-credentials', principal: 'ada' }), []);
  assert.ok(remote.revoked.length > 0);
});
