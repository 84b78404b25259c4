import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { defaultChainPolicy } from '@ravi/kernel';
import { tokens } from '@ravi/monolith';
import { afterAll, beforeAll, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function assertProblem({ status, body }: Answer, expected: number, code: string, message: RegExp): void {
  assert.equal(status, expected);
  assert.deepEqual(Object.keys(body), ['error']);
  assert.equal(body.error.code, code);
  assert.match(body.error.message, message);
}

test('health returns the status and the number of tools', async () => {
  assert.deepEqual(await server.get('/health'), { status: 200, body: { status: 'ok', tools: 10 } });
});

test('tools are listed with risk, source and schemas, and no path of the host', async () => {
  const { body } = await server.get('/v1/tools');
  const echo = body.items.find((tool: { name: string }) => tool.name === 'echo');
  assert.deepEqual(echo, {
    name: 'echo',
    description: 'Gives its arguments back.',
    kind: 'local',
    risk: 'safe',
    isRiskFixed: true,
    source: 'tools',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
  });
  assert.deepEqual(
    body.items.map((tool: { name: string }) => tool.name),
    [
      'echo',
      'launch',
      'detonate',
      'wait',
      'search_tools',
      'describe_tool',
      'ask_user',
      'ask_clarification',
      'info',
      'tool_chain',
    ],
  );
  assert.ok(!JSON.stringify(body).includes(server.installation.folder));
  const namesOf = ({ items }: Answer['body']) => items.map(({ name }: { name: string }) => name);
  assert.deepEqual(namesOf((await server.get('/v1/tools?risk=critical')).body), ['detonate']);
  assert.deepEqual(namesOf((await server.get('/v1/tools?risk=high&q=leaves')).body), ['launch']);
  assertProblem(await server.get('/v1/tools?risk=low'), 400, 'E_REQUEST_INVALID', /"risk" must be one of/);
});

test('the list of tools is not sent again until a tool is added or removed', async () => {
  const ask = (headers = {}): Promise<Response> => fetch(`${server.url}/v1/tools`, { headers });
  const etag = (await ask()).headers.get('etag') ?? '';
  const again = await ask({ 'if-none-match': `"other", ${etag}` });
  assert.deepEqual([again.status, await again.text()], [304, '']);
  const toolbox = server.monolith.container.resolve(tokens.toolbox);
  const echo = toolbox.get('echo');
  assert.ok(echo);
  toolbox.add({ ...echo, name: 'late' });
  const changed = await ask({ 'if-none-match': etag });
  assert.equal(changed.status, 200);
  assert.ok((await changed.text()).includes('"late"'));
  toolbox.remove('late');
  assert.equal((await ask()).headers.get('etag'), etag);
});

test('a direct call returns the result of the invoker, refusals included', async () => {
  const echoed = await server.post('/v1/tools/echo', { args: { word: 'hello' } });
  assert.deepEqual(echoed.body.structured, { word: 'hello' });
  assert.equal(echoed.body.status, 'ok');
  const unknown = await server.post('/v1/tools/ecko', { args: {} });
  assert.equal(unknown.status, 200);
  assert.equal(unknown.body.error.code, 'E_TOOL_UNKNOWN');
  assert.match(unknown.body.text, /echo/);
  const invalid = await server.post('/v1/tools/launch', { args: { target: 5 } });
  assert.equal(invalid.body.error.code, 'E_ARGUMENTS_INVALID');
});

test('the result of a direct call can be passed to a further call of its session, and to no other', async () => {
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id }));
  const { body: stored } = await server.post('/v1/tools/echo', { args: { rows } });
  assert.match(stored.artifactRef, /^blob_/);
  const args = { table: { $artifact: stored.artifactRef } };
  await server.monolith.container.resolve(tokens.blobStore).sweep(Date.now());
  const { sessionId } = stored;
  const { body: passed } = await server.post('/v1/tools/echo', { args, sessionId });
  assert.equal(passed.status, 'ok', passed.text);
  assert.equal(passed.sessionId, sessionId);
  const { body: elsewhere } = await server.post('/v1/tools/echo', { args });
  assert.equal(elsewhere.error.code, 'E_ARTIFACT_FORBIDDEN');
  await server.monolith.container.resolve(tokens.blobStore).sweep(Date.now() + 3_600_001);
  assert.equal(await server.monolith.container.resolve(tokens.blobStore).stat(stored.artifactRef), undefined);
});

test('a chain returns value, logs and trace', async () => {
  const { status, body } = await server.chain(`
    console.log('hello');
    const { word }: { word: string } = await tools.echo({ word: 'moon' });
    return word.toUpperCase();
  `);
  assert.equal(status, 200);
  assert.equal(body.status, 'ok');
  assert.equal(body.value, 'MOON');
  assert.deepEqual(body.logs, [{ level: 'log', text: 'hello' }]);
  assert.equal(body.outputText, 'MOON');
  assert.equal(body.toolCalls, 1);
  const [{ tool, callId, argsDigest, status: outcome, durationMs }, ...more] = body.callTrace;
  assert.deepEqual([tool, callId, outcome, more], ['echo', 'call_1', 'ok', []]);
  assert.match(argsDigest, /^hmac-sha256:/);
  assert.deepEqual([body.durationMs, durationMs].map(Number.isFinite), [true, true]);
});

test('a script that fails is a result that names its own line and the calls that have run', async () => {
  const { status, body } = await server.chain('await tools.echo({ a: 1 });\nthrow new RangeError(`too much`);');
  assert.equal(status, 200);
  assert.equal(body.status, 'error');
  assert.equal(body.error.line, 2);
  assert.match(body.outputText, /do not repeat those that succeeded:\n1\. echo\(\{"a":1\}\) → ok/);
  assert.deepEqual(
    body.callTrace.map(({ tool, status: outcome }: Record<string, string>) => [tool, outcome]),
    [['echo', 'ok']],
  );
  assert.ok(!JSON.stringify(body).includes('node_modules'));
});

test('a request that is not a JSON object, has another type or an unknown key is refused', async () => {
  assertProblem(await server.post('/v1/chains', '{"code": '), 400, 'E_REQUEST_INVALID', /not JSON/);
  assertProblem(await server.post('/v1/chains', '[1]'), 400, 'E_REQUEST_INVALID', /must be a JSON object/);
  assertProblem(await server.post('/v1/chains', 'null'), 400, 'E_REQUEST_INVALID', /must be a JSON object/);
  assertProblem(await server.post('/v1/chains', {}), 400, 'E_REQUEST_INVALID', /"code" is missing and must be text/);
  assertProblem(await server.post('/v1/chains', { code: 1 }), 400, 'E_REQUEST_INVALID', /"code" must be text/);
  assertProblem(
    await server.post('/v1/chains', { code: '1', polcy: {} }),
    400,
    'E_REQUEST_INVALID',
    /"polcy" is not a known key; the keys are code, language, policy/,
  );
  assertProblem(
    await server.post('/v1/chains', '{"code":"1","__proto__":{"policy":{}}}'),
    400,
    'E_REQUEST_INVALID',
    /"__proto__" is not a known key/,
  );
  assertProblem(
    await server.post('/v1/tools/echo', { args: [1] }),
    400,
    'E_REQUEST_INVALID',
    /"args" must be a JSON object/,
  );
  const plain = { 'content-type': 'text/plain' };
  assertProblem(await server.post('/v1/chains', { code: '1' }, plain), 415, 'E_CONTENT_TYPE', /"text\/plain"/);
  assertProblem(
    await server.post('/v1/chains', '', { 'content-type': '' }),
    415,
    'E_CONTENT_TYPE',
    /application\/json/,
  );
  const charset = { 'content-type': 'Application/JSON; charset=utf-8' };
  assert.equal((await server.post('/v1/chains', { code: 'return 1' }, charset)).body.value, 1);
});

test('an unknown route is a JSON 404', async () => {
  assertProblem(await server.get('/v1/nothing'), 404, 'E_ROUTE_UNKNOWN', /GET \/v1\/nothing/);
});

test('a body above the limit is refused, announced or streamed, and the server continues', async () => {
  const tooLong = 'x'.repeat(defaultChainPolicy.maxSourceBytes * 6 + 5_000);
  assertProblem(await server.chain(tooLong), 413, 'E_BODY_TOO_LARGE', /larger than 1576960 bytes/);
  const chunked = { 'transfer-encoding': 'chunked' };
  assertProblem(await server.post('/v1/chains', { code: tooLong }, chunked), 413, 'E_BODY_TOO_LARGE', /larger than/);
  assert.equal((await server.chain('return 1')).body.value, 1);
});

test('a script over maxSourceBytes that fits the body limit is a result that names the limit', async () => {
  const { status, body } = await server.chain(`return 1 //${'x'.repeat(defaultChainPolicy.maxSourceBytes)}`);
  assert.equal(status, 200);
  assert.equal(body.error.code, 'E_LIMIT_SOURCE');
});

test('a foreign host name or origin is refused, so no web page can reach the server', async () => {
  const foreign = [{ host: 'evil.example' }, { host: 'evil.example:80' }, { host: '127.0.0.1.evil.example' }];
  for (const headers of foreign) {
    assertProblem(await server.get('/v1/tools', headers), 403, 'E_ORIGIN_FORBIDDEN', /is not this server/);
    assertProblem(
      await server.post('/v1/chains', { code: '1' }, headers),
      403,
      'E_ORIGIN_FORBIDDEN',
      /not this server/,
    );
  }
  for (const origin of ['http://evil.example', 'null', 'http://localhost:1', 'https://127.0.0.1']) {
    const answer = await server.post('/v1/chains', { code: 'return 1' }, { origin });
    assertProblem(answer, 403, 'E_ORIGIN_FORBIDDEN', /may not use this server/);
  }
  const { host, port } = new URL(server.url);
  assert.equal((await server.get('/health', { origin: `http://${host}` })).status, 200);
  assert.equal((await server.get('/health', { host: `localhost:${port}` })).status, 200);
  assert.equal((await server.get('/health', { host: `[::1]:${port}` })).status, 200);
});

test('a client that disconnects ends its run', async () => {
  const hooks = server.monolith.container.resolve(tokens.hooks);
  const ended = new Promise<string>((resolve) => {
    hooks.observe('tool-result', ({ tool, status }) => {
      if (tool === 'wait') resolve(status);
    });
  });
  const started = new Promise<void>((resolve) => {
    hooks.observe('tool-call', ({ tool }) => {
      if (tool === 'wait') resolve();
    });
  });
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ code: 'return await tools.wait({})' });
  socket.write(
    `POST /v1/chains HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await started;
  socket.destroy();
  assert.equal(await ended, 'cancelled');
});
