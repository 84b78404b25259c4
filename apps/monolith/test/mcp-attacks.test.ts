import assert from 'node:assert/strict';
import { systemClock } from '@ravi/kernel';
import { createMcpEndpoint } from '@ravi/mcp-server';
import type { McpGateway } from '@ravi/mcp-server';
import { test } from 'vitest';
import { connectMcp, generations, runIdOf, textOf } from '@ravi/mcp-testing';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { sendRaw } from './support/mcp-requests.ts';

const alice = 'a'.repeat(40);
const bob = 'b'.repeat(40);
const reader = 'r'.repeat(40);
const config = {
  server: {
    tokens: [
      { principal: 'alice', roles: ['run' as const], token: { $env: 'ALICE' } },
      { principal: 'alice', roles: ['run' as const, 'approve' as const], token: { $env: 'BOSS' } },
      { principal: 'bob', roles: ['run' as const], token: { $env: 'BOB' } },
      { principal: 'reader', roles: [], token: { $env: 'READER' } },
    ],
  },
};
const boss = 'c'.repeat(40);
const env = { ALICE: alice, BOB: bob, READER: reader, BOSS: boss };

function start(): Promise<TestServer> {
  return startServer(config, {}, { env, isServer: true });
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const listTools = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

test('a request without a known token, with another host or from another site is refused', async () => {
  await using server = await start();
  const send = (headers: Record<string, string>): Promise<number> =>
    sendRaw(server.url, initialize, headers).then(({ status }) => status);
  assert.equal(await send({}), 401);
  assert.equal(await send(bearer('x'.repeat(40))), 401);
  assert.equal(await send({ ...bearer(alice), host: 'evil.example' }), 403);
  assert.equal(await send({ ...bearer(alice), origin: 'https://evil.example' }), 403);
  assert.equal(await send({ ...bearer(alice), origin: 'null' }), 403);
  assert.equal(await send({ ...bearer(alice), 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await send(bearer(alice)), 200);
});

test('the sign-in of a browser does not open the endpoint', async () => {
  await using server = await start();
  const signedIn = await fetch(`${server.url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: alice }),
  });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  assert.notEqual(cookie, '');
  const { status } = await sendRaw(server.url, initialize, { cookie, origin: server.url });
  assert.equal(status, 401);
});

test('a session is unknown to another caller, and its owner ends it', async () => {
  await using server = await start();
  const { headers } = await sendRaw(server.url, initialize, bearer(alice));
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  const withSession = async (token: string, method = 'POST'): Promise<number> => {
    const { status } = await sendRaw(server.url, listTools, { ...bearer(token), ...session }, method);
    return status;
  };
  assert.equal(await withSession(alice), 200);
  assert.equal(await withSession(bob), 404);
  assert.equal(await withSession(bob, 'DELETE'), 404);
  assert.equal(await withSession(bob, 'GET'), 404);
  assert.equal(await withSession(alice), 200);
  assert.equal(await withSession(alice, 'DELETE'), 200);
  assert.equal(await withSession(alice), 404);
});

test('a token acts with its own roles in a session that another token of its principal began', async () => {
  await using server = await start();
  const { headers } = await sendRaw(server.url, initialize, bearer(boss));
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  const call = {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'execute', arguments: { code: 'return 1' } },
  };
  const { text } = await sendRaw(server.url, call, { ...bearer(alice), ...session });
  assert.match(text, /"text":"1"/);
});

for (const generation of generations) {
  test(`a caller of ${generation} reaches no run, result, artifact or approval of another`, async () => {
    await using server = await start();
    await using own = await connectMcp(server.url, generation, { token: alice });
    await using other = await connectMcp(server.url, generation, { token: bob });
    const paused = await own.execute('return await tools.launch()');
    const large = await own.execute('return "x".repeat(2_000_000)');
    for (const result of [paused, large]) {
      for (const name of ['resume', 'status']) {
        const answer = await other.call(name, { run_id: runIdOf(result) });
        assert.equal(answer.isError, true);
        assert.match(textOf(answer), /\[E_RUN_NOT_FOUND\]/);
      }
    }
    const links = large.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    assert.equal(links.length, 2);
    for (const uri of links) {
      await own.client.readResource({ uri });
      await assert.rejects(other.client.readResource({ uri }), /not found/i);
    }
    assert.deepEqual((await other.client.listResources()).resources, []);
    assert.equal(textOf(await other.call('status')), 'There are no runs.');
    assert.deepEqual(await server.installation.launches(), []);
  });

  test(`a caller of ${generation} without the right to approve is not asked, and one without a role runs nothing`, async () => {
    await using server = await start();
    const onAsk = (): never => assert.fail('a caller that may not decide was asked');
    await using mcp = await connectMcp(server.url, generation, { token: alice, onAsk });
    const paused = await mcp.execute('return await tools.launch()');
    assert.equal((paused.structuredContent as { status?: string }).status, 'paused');
    await using guest = await connectMcp(server.url, generation, { token: reader });
    const refused = await guest.execute('return 1');
    assert.equal(refused.isError, true);
    assert.match(textOf(refused), /\[E_FORBIDDEN\]/);
  });

  test(`ids of ${generation} that lead to another path are refused`, async () => {
    await using server = await start();
    await using mcp = await connectMcp(server.url, generation, { token: alice });
    for (const id of ['..', '../approvals', '.', 'a/b', '%2e%2e', 'x'.repeat(300), '\0', 'run_none']) {
      const answer = await mcp.call('resume', { run_id: id });
      assert.equal(answer.isError, true, id);
      for (const uri of [`ravi://runs/${id}/result`, `ravi://artifacts/${id}`, 'file:///etc/passwd']) {
        await assert.rejects(mcp.client.readResource({ uri }), uri);
      }
    }
  });
}

test('messages that are too large, too deep or not JSON are refused before they are parsed', async () => {
  await using server = await start();
  const send = (body: string, headers: Record<string, string> = {}): Promise<number> =>
    sendRaw(server.url, body, { ...bearer(alice), ...headers }).then(({ status }) => status);
  assert.equal(await send(JSON.stringify({ ...initialize, padding: 'x'.repeat(9_000_000) })), 413);
  assert.equal(await send('['.repeat(1_000_000)), 400);
  assert.equal(
    await send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`),
    400,
  );
  assert.equal(await send('{"jsonrpc":'), 400);
  assert.equal(await send(''), 400);
  assert.equal(await send('null'), 400);
  assert.equal(await send(JSON.stringify(initialize), { 'content-type': 'text/plain' }), 415);
  assert.equal(await send(JSON.stringify(initialize)), 200);
});

test('a list of messages is refused, because it would count as one request', async () => {
  await using server = await start();
  const { status, text } = await sendRaw(server.url, [initialize, listTools], bearer(alice));
  assert.equal(status, 400);
  assert.match(text, /one message/);
});

test('a flood of sessions ends only the oldest of its caller', async () => {
  await using server = await start();
  const begin = async (token: string): Promise<string> => {
    const { headers } = await sendRaw(server.url, initialize, bearer(token));
    return String(headers['mcp-session-id']);
  };
  const isAlive = async (token: string, session: string): Promise<boolean> => {
    const { status } = await sendRaw(server.url, listTools, { ...bearer(token), 'mcp-session-id': session });
    return status === 200;
  };
  const first = await begin(alice);
  const ofBob = await begin(bob);
  for (let count = 0; count < 100; count++) await begin(alice);
  assert.equal(await isAlive(alice, first), false);
  assert.equal(await isAlive(bob, ofBob), true);
});

test('messages that arrive slowly take the places of their caller only', async () => {
  const stateKey = new Uint8Array(32).fill(1);
  await using endpoint = createMcpEndpoint({ stateKey, clock: systemClock, maxMessageBytes: 1_000, maxStreams: 2 });
  const gateway = { tools: async () => [] } as Partial<McpGateway> as McpGateway;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (principal: string, body: string | ReadableStream<Uint8Array>): Promise<Response> => {
    const init = { method: 'POST', headers, body, duplex: 'half' as const };
    return endpoint.fetch(new Request('http://localhost/mcp', init), { principal, gateway });
  };
  const ends: (() => void)[] = [];
  const slow = (): Promise<Response> =>
    send('alice', new ReadableStream({ start: (controller) => void ends.push(() => controller.close()) }));
  const waiting = [slow(), slow()];
  assert.equal((await send('alice', JSON.stringify(initialize))).status, 429);
  assert.equal((await send('bob', JSON.stringify(initialize))).status, 200);
  for (const end of ends) end();
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [400, 400],
  );
});
