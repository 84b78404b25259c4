import assert from 'node:assert/strict';
import { request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectMcp, generations, runIdOf, textOf } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { startHttp } from './support/http-process.ts';
import { createRavi } from './support/ravi.ts';

const ann = 'a'.repeat(40);
const bob = 'b'.repeat(40);
const env = { ANN: ann, BOB: bob };
const withTokens = {
  'ravi.config.json': JSON.stringify({
    tools: ['./tools'],
    server: {
      tokens: [
        { principal: 'ann', roles: ['run', 'approve'], token: { $env: 'ANN' } },
        { principal: 'bob', roles: ['run'], token: { $env: 'BOB' } },
      ],
    },
  }),
};
const launches = (folder: string): Promise<string> => readFile(join(folder, 'launches.txt'), 'utf8').catch(() => '');

const ping = { jsonrpc: '2.0', id: 1, method: 'initialize' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

// Not fetch, which sets Host and Origin itself.
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const accept = 'application/json, text/event-stream';
    const all = { 'content-type': 'application/json', accept, ...headers };
    const sent = request(`${url}/mcp`, { method: 'POST', headers: all, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ ...ping, params }));
  });
}

test('ravi mcp serve --http refuses a missing or wrong token, a foreign host and a foreign origin', async () => {
  await using own = await createFolder(withTokens);
  await using server = await startHttp(own.folder, { env });
  const { port } = new URL(server.url);
  const good = { authorization: `Bearer ${ann}` };
  const cases: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
    [401, {}],
    [401, { authorization: `Bearer ${'x'.repeat(40)}` }],
    [401, { authorization: `Bearer ${ann}x` }],
    [401, { authorization: `Basic ${ann}` }],
    [401, { authorization: 'Bearer ' }],
    [403, { cookie: `token=${ann}` }],
    [403, { ...good, host: 'evil.example' }],
    [403, { ...good, host: `evil.example:${port}` }],
    [403, { ...good, origin: 'https://evil.example' }],
    [403, { ...good, origin: 'null' }],
    [403, { ...good, origin: `http://127.0.0.1:${Number(port) + 1}` }],
    [403, { ...good, 'sec-fetch-site': 'cross-site' }],
    [200, good],
    [200, { ...good, origin: server.url }],
    [200, { ...good, host: `localhost:${port}` }],
  ];
  for (const [status, headers] of cases)
    assert.equal(await statusOf(server.url, headers), status, JSON.stringify(headers));
});

test('ravi mcp serve --http serves several clients of both generations, each with its own runs', async () => {
  await using own = await createFolder(withTokens);
  await using server = await startHttp(own.folder, { env });
  await using stack = new AsyncDisposableStack();
  const clients = await Promise.all(
    generations.flatMap((generation) =>
      [ann, bob, bob].map(async (token) => stack.use(await connectMcp(server.url, generation, { token }))),
    ),
  );
  const code = (index: number): string => `return await tools.add({ a: ${index}, b: 100 })`;
  const results = await Promise.all(clients.map((client, index) => client.execute(code(index))));
  assert.deepEqual(results.map(textOf), ['100', '101', '102', '103', '104', '105']);
  const [ofAnn, ofBob] = clients;
  const foreign = await ofBob?.call('resume', { run_id: runIdOf(results[0] ?? assert.fail()) });
  assert.match(textOf(foreign ?? assert.fail()), /E_RUN_NOT_FOUND/);
  assert.equal(
    textOf((await ofAnn?.call('resume', { run_id: runIdOf(results[0] ?? assert.fail()) })) ?? assert.fail()),
    '100',
  );
});

for (const generation of generations) {
  test(`a shutdown while the user of a client of ${generation} is asked ends the process, and the next one resumes the run`, async () => {
    await using own = await createFolder(withTokens);
    await using first = await startHttp(own.folder, { env });
    const asked = Promise.withResolvers<void>();
    const never = Promise.withResolvers<never>();
    await using mcp = await connectMcp(first.url, generation, {
      token: ann,
      onAsk() {
        asked.resolve();
        return never.promise;
      },
    });
    const lost = mcp.execute('return await tools.launch()').catch(() => {});
    await asked.promise;
    first.signal('SIGTERM');
    assert.equal(await first.exit, 0);
    void lost;
    assert.equal(await launches(own.folder), '');

    await using second = await startHttp(own.folder, { env });
    await using again = await connectMcp(second.url, generation, { token: ann });
    const [runId = ''] = textOf(await again.call('status')).split(' ', 1);
    const paused = await again.call('resume', { run_id: runId });
    const { approvals = [] } = (paused.structuredContent ?? {}) as { approvals?: { id: string }[] };
    const response = await fetch(`${second.url}/v1/approvals/${approvals[0]?.id}/decision`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ann}` },
      body: JSON.stringify({ decision: 'approved' }),
    });
    assert.equal(response.status, 200, textOf(paused));
    assert.equal(textOf(await again.call('resume', { run_id: runId })), 'launched');
    assert.equal(await launches(own.folder), 'launch\n');
  });
}

test('ravi mcp serve --http names a port that is in use and ends', async () => {
  await using own = await createFolder();
  await using first = await startHttp(own.folder);
  const { port } = new URL(first.url);
  await using other = await createFolder();
  await assert.rejects(startHttp(other.folder, { args: ['--port', port] }), /exit code [1-9].*port is in use/s);
  assert.equal(await statusOf(first.url, {}), 200);
});

test('ravi mcp serve --http does not listen to a network without access tokens', async () => {
  await using ravi = await createRavi();
  const { code, errors } = await ravi.run(['mcp', 'serve', '--http', '--host', '0.0.0.0', '--port', '0']);
  assert.notEqual(code, 0);
  assert.match(errors, /server\.tokens|access tokens/);
});
