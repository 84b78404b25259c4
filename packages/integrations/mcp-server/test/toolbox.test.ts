import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '@ravi/kernel';
import { connectOver, generations, runIdOf, textOf } from '@ravi/mcp-testing';
import type { Generation, McpClientOptions, McpTestClient } from '@ravi/mcp-testing';
import { test } from 'vitest';
import type { ToolSummary } from '@ravi/api';
import { createMcpEndpoint } from '../src/index.ts';
import { offeredTools } from '../src/offered-tools.ts';
import type { ServerMode } from '../src/index.ts';
import { createToolboxProgram } from './support/toolbox-gateway.ts';
import type { ToolboxProgram } from './support/toolbox-gateway.ts';

interface Opened extends AsyncDisposable {
  readonly program: ToolboxProgram;
  readonly mcp: McpTestClient;
}

/** Connects an official client to a server over the tools of a program, without a socket. */
async function open(
  generation: Generation,
  options: McpClientOptions & { mode?: ServerMode; mayApprove?: boolean } = {},
): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const { mode = 'code', mayApprove = true, ...client } = options;
  const program = stack.use(await createToolboxProgram({ mayApprove }));
  const endpoint = stack.use(
    createMcpEndpoint({ stateKey: new Uint8Array(32).fill(1), clock: systemClock, maxMessageBytes: 1_000_000 }),
  );
  const caller = { principal: 'ann', gateway: program.gateway };
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost/mcp?mode=${mode}`), {
    fetch: (url, init) => endpoint.fetch(new Request(url, init), caller),
  });
  const mcp = stack.use(await connectOver(transport, generation, client));
  const opened = stack.move();
  return { program, mcp, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const approve = (): { action: 'accept'; content: { decision: string } } => ({
  action: 'accept',
  content: { decision: 'approve' },
});

for (const generation of generations) {
  test(`a program gives a client of ${generation} code mode over its toolbox`, async () => {
    await using opened = await open(generation);
    const { mcp } = opened;
    const { tools } = await mcp.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['execute', 'search', 'describe', 'resume', 'status'],
    );
    assert.equal(textOf(await mcp.execute('return await tools.add({ a: 1, b: 2 })')), '3');
    assert.match(textOf(await mcp.call('search', { query: '' })), /add\(/);
    assert.match(textOf(await mcp.call('describe', { name: 'add' })), /a\?: number/);
  });

  test(`a program gives a client of ${generation} its tools one by one`, async () => {
    await using opened = await open(generation, { mode: 'tools', onAsk: approve });
    const { mcp, program } = opened;
    const { tools } = await mcp.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['resume', 'status', 'add', 'launch', 'later', 'query'],
    );
    // The arguments of a query may change something, so no client runs it unasked as a tool that only reads.
    assert.deepEqual(
      tools.slice(2).map(({ annotations }) => annotations?.readOnlyHint),
      [true, false, true, false],
    );
    assert.equal(textOf(await mcp.call('add', { a: 1, b: 2 })), '3');
    assert.equal(textOf(await mcp.call('launch')), '"launched"');
    assert.deepEqual(program.launches, ['launch']);
  });

  test(`the user of a client of ${generation} approves a call of the toolbox, or denies it`, async () => {
    const asked: string[] = [];
    const decisions = ['approve', 'deny'];
    await using opened = await open(generation, {
      onAsk({ message }) {
        asked.push(message);
        return { action: 'accept', content: { decision: decisions.shift() ?? '' } };
      },
    });
    const { mcp, program } = opened;
    assert.equal(textOf(await mcp.execute('return await tools.launch({ a: 7 })')), 'launched');
    const denied = await mcp.execute('return await tools.launch({ a: 8 })');
    assert.equal(denied.isError, true);
    assert.match(asked[0] ?? '', /Allow this call of launch \(risk high\)\?[^]*"a": 7/);
    assert.deepEqual([asked.length, program.launches], [2, ['launch']]);
  });

  test(`a client of ${generation} that cannot ask gets a paused run, which resume continues after the decision`, async () => {
    await using opened = await open(generation);
    const { mcp, program } = opened;
    const paused = await mcp.execute('const sum = await tools.add({ a: 1, b: 2 }); await tools.launch({}); return sum');
    const { approvals, inbox } = paused.structuredContent as { approvals: { id: string }[]; inbox: string };
    assert.equal(inbox, program.gateway.inboxUrl);
    assert.deepEqual(program.launches, []);
    await program.gateway.decide(approvals[0]?.id ?? '', { decision: 'approved' });
    assert.equal(textOf(await mcp.call('resume', { run_id: runIdOf(paused) })), '3');
    assert.deepEqual(program.launches, ['launch']);
  });

  test(`a client of ${generation} whose caller may not approve is not asked`, async () => {
    const onAsk = (): never => assert.fail('a caller that may not decide was asked');
    await using opened = await open(generation, { mayApprove: false, onAsk });
    const { mcp, program } = opened;
    const paused = await mcp.execute('return await tools.launch({})');
    assert.equal((paused.structuredContent as { status?: string }).status, 'paused');
    assert.deepEqual(program.launches, []);
  });

  test(`a client of ${generation} reads a result that is too large by its link`, async () => {
    await using opened = await open(generation);
    const { mcp } = opened;
    const result = await mcp.execute('return "x".repeat(50_000)');
    const links = result.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    assert.deepEqual(links, [`ravi://runs/${runIdOf(result)}/result`]);
    const { contents } = await mcp.client.readResource({ uri: links[0] ?? '' });
    assert.equal((contents[0] as { readonly text?: string } | undefined)?.text, 'x'.repeat(50_000));
    await assert.rejects(mcp.client.readResource({ uri: 'ravi://runs/run_none/result' }), /not found/i);
  });
}

// oxlint-disable-next-line typescript/no-explicit-any -- the SDK knows no results of tasks
type Answer = any;
const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

test('a client of 2025-11-25 starts a call as a task, and gets its result', async () => {
  await using opened = await open('2025-11-25');
  const { mcp } = opened;
  const request = (method: string, params: object): Promise<Answer> =>
    mcp.client.request({ method, params: { ...params } }, anything);
  const code = 'return await tools.add({ a: 40, b: 2 })';
  const { task } = await request('tools/call', { name: 'execute', arguments: { code }, task: {} });
  assert.equal(task.status, 'working');
  const { content } = await request('tasks/result', { taskId: task.taskId });
  assert.equal(content[0].text, '42');
  assert.equal((await request('tasks/get', { taskId: task.taskId })).status, 'completed');
  await assert.rejects(request('tasks/get', { taskId: 'run_none' }));
});

test('a client of 2026-07-28 gets a tool that runs in the background as a task, and its result later', async () => {
  await using program = await createToolboxProgram();
  const server = createMcpEndpoint({
    stateKey: new Uint8Array(32).fill(1),
    clock: systemClock,
    maxMessageBytes: 1_000_000,
  });
  await using _server = server;
  const caller = { principal: 'ann', gateway: program.gateway };
  const send = async (id: number, method: string, params: object): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
      ...('taskId' in params ? { 'mcp-name': String(params.taskId) } : {}),
    };
    const url = 'http://localhost/mcp?mode=tools';
    const response = await server.fetch(new Request(url, { method: 'POST', headers, body }), caller);
    const text = await response.text();
    const line = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return (JSON.parse(line) as { result?: unknown }).result ?? assert.fail(text);
  };
  const { taskId, resultType } = await send(1, 'tools/call', { name: 'later', arguments: { a: 1, b: 2 } });
  assert.equal(resultType, 'task');
  for (let id = 2; ; id++) {
    // Without a socket nothing else lets the script run.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const task = await send(id, 'tasks/get', { taskId });
    if (task.status === 'working') continue;
    assert.deepEqual([task.status, task.result.content[0].text], ['completed', '3']);
    break;
  }
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

test('the server tells the version of its package', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  for (const generation of generations) {
    await using opened = await open(generation);
    assert.equal(opened.mcp.client.getServerVersion()?.version, manifest.version);
  }
});

test('an installed tool keeps its name, and the tools of the server take others', () => {
  const summary = (name: string): ToolSummary => ({
    name,
    description: name,
    kind: 'local',
    source: 'local',
    inputSchema: { type: 'object' },
  });
  const offered = offeredTools('tools', ['resume', 'ravi_resume', 'status'].map(summary));
  assert.deepEqual(
    Array.from(offered, ([name, tool]) => [name, tool.kind === 'own' ? tool.own : tool.kind]),
    [
      ['ravi_ravi_resume', 'resume'],
      ['ravi_status', 'status'],
      ['resume', 'direct'],
      ['ravi_resume', 'direct'],
      ['status', 'direct'],
    ],
  );
});
