import assert from 'node:assert/strict';
import { connectMcp, generations } from '@ravi/mcp-testing';
import type { McpClientOptions, McpTestClient } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
type Answer = any;

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

function request(mcp: McpTestClient, method: string, params: object): Promise<Answer> {
  return mcp.client.request({ method, params: { ...params } }, anything);
}

const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const approve = (): { action: 'accept'; content: { decision: string } } => ({
  action: 'accept',
  content: { decision: 'approve' },
});

function start(): Promise<TestServer> {
  return startServer({}, {}, { isServer: true });
}

const old = generations[0];
const current = generations[1];

async function beginOld(
  server: TestServer,
  code: string,
  options: McpClientOptions = {},
): Promise<{ mcp: McpTestClient; taskId: string }> {
  const mcp = await connectMcp(server.url, old, options);
  const { task } = await request(mcp, 'tools/call', { name: 'execute', arguments: { code }, task: { ttl: 60_000 } });
  assert.equal(task.status, 'working');
  return { mcp, taskId: task.taskId };
}

test(`a client of ${old} starts a call as a task, and reads its state and its result`, async () => {
  await using server = await start();
  const { mcp, taskId } = await beginOld(server, 'return (await tools.echo({ n: 41 })).n + 1');
  await using _ = mcp;
  const result = await request(mcp, 'tasks/result', { taskId });
  assert.equal(result.content[0].text, '42');
  assert.equal(result._meta['io.modelcontextprotocol/related-task'].taskId, taskId);
  const state = await request(mcp, 'tasks/get', { taskId });
  assert.equal(state.status, 'completed');
  const { tasks } = await request(mcp, 'tasks/list', {});
  assert.deepEqual(
    tasks.map((task: Answer) => task.taskId),
    [taskId],
  );
});

test(`a task of ${old} asks the user of its client, and ends after the answer`, async () => {
  await using server = await start();
  const { mcp, taskId } = await beginOld(server, 'return await tools.launch({ target: "moon" })', { onAsk: approve });
  await using _ = mcp;
  const result = await request(mcp, 'tasks/result', { taskId });
  assert.equal(result.content[0].text, 'launched');
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
});

test(`a task of ${old} is cancelled`, async () => {
  await using server = await start();
  const { mcp, taskId } = await beginOld(server, 'return await tools.wait()');
  await using _ = mcp;
  await request(mcp, 'tasks/cancel', { taskId });
  const result = await request(mcp, 'tasks/result', { taskId });
  assert.equal(result.isError, true);
  assert.equal((await request(mcp, 'tasks/get', { taskId })).status, 'cancelled');
});

/** Sends a request as a client of the current version writes it; its SDK knows no tasks. */
async function send(
  server: TestServer,
  method: string,
  params: object,
  capabilities: object = extension,
): Promise<Answer> {
  const name = (params as { name?: string; taskId?: string }).name ?? (params as { taskId?: string }).taskId;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': current,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': current,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const data = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
  return JSON.parse(data);
}

async function untilState(server: TestServer, taskId: string, wanted: string, capabilities?: object): Promise<Answer> {
  for (;;) {
    const { result } = await send(server, 'tasks/get', { taskId }, capabilities);
    if (result.status === wanted) return result;
    assert.equal(result.status, 'working', JSON.stringify(result));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test(`a long call of ${current} answers with a task that is read, and cancelled`, async () => {
  await using server = await start();
  const { result: task } = await send(server, 'tools/call', {
    name: 'execute',
    arguments: { code: 'await sleep(6000); return 42' },
  });
  assert.deepEqual([task.resultType, task.status, task.ttlMs], ['task', 'working', null]);
  const { result } = await untilState(server, task.taskId, 'completed');
  assert.equal(result.content[0].text, '42');
  const { result: endless } = await send(server, 'tools/call', {
    name: 'execute',
    arguments: { code: 'return await tools.wait()' },
  });
  assert.deepEqual((await send(server, 'tasks/cancel', { taskId: endless.taskId })).result.resultType, 'complete');
  await untilState(server, endless.taskId, 'cancelled');
}, 60_000);

test(`a task of ${current} asks in its state, and continues after tasks/update`, async () => {
  await using server = await start();
  const asks = { ...extension, elicitation: { form: {} } };
  const code = 'await sleep(6000); return await tools.launch({ target: "moon" })';
  const { result: task } = await send(server, 'tools/call', { name: 'execute', arguments: { code } }, asks);
  const { taskId } = task;
  const { inputRequests } = await untilState(server, taskId, 'input_required', asks);
  const [[id, question]] = Object.entries(inputRequests) as [[string, Answer]];
  assert.match(question.params.message, /Allow this call of launch/);
  await send(server, 'tasks/update', { taskId, inputResponses: { unknown: approve(), [id]: approve() } }, asks);
  const { result } = await untilState(server, taskId, 'completed', asks);
  assert.equal(result.content[0].text, 'launched');
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
}, 60_000);

test(`a client of ${current} without the extension gets no task, and reads none`, async () => {
  await using server = await start();
  const { result } = await send(
    server,
    'tools/call',
    { name: 'execute', arguments: { code: 'await sleep(6000); return 42' } },
    {},
  );
  assert.deepEqual([result.resultType, result.content[0].text], ['complete', '42']);
  const { error } = await send(server, 'tasks/get', { taskId: 'run_1' }, {});
  assert.equal(error.code, -32_021);
  assert.equal((await send(server, 'tasks/get', { taskId: 'run_1' })).error.code, -32_602);
}, 60_000);

test('a task is unknown to another caller', async () => {
  const env = { ANN: 'a'.repeat(40), BEN: 'b'.repeat(40) };
  const tokens = ['ANN', 'BEN'].map((name) => ({ principal: name, roles: ['run' as const], token: { $env: name } }));
  await using server = await startServer({ server: { tokens } }, {}, { env, isServer: true });
  const { mcp, taskId } = await beginOld(server, 'return await tools.launch()', { token: env.ANN });
  await using _ = mcp;
  await using other = await connectMcp(server.url, old, { token: env.BEN });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    await assert.rejects(request(other, method, { taskId }), /no such task/i);
  }
  assert.deepEqual((await request(other, 'tasks/list', {})).tasks, []);
});
