import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { systemClock } from '@ravi/kernel';
import type { InvocationResult, OpenToolSource } from '@ravi/kernel';
import { createMcpSource } from '@ravi/mcp';
import type { McpServerOptions } from '@ravi/mcp';
import { scriptCommand, serveHttp } from '@ravi/mcp-testing';
import type { HostileCase } from '@ravi/mcp-testing';
import { createMemoryLogger, createTestApprovals } from '@ravi/testkit';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs hostile servers next to an honest one, in one toolbox, with one invoker. */
export interface HostileBench extends AsyncDisposable {
  /** Opens the server of a case, calls its tool with and without approval, and checks what becomes of it and of its neighbour. */
  run(given: HostileCase, transport: 'stdio' | 'http'): Promise<void>;
}

/** Starts the honest server. */
export async function createHostileBench(): Promise<HostileBench> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await serveHttp({}));
  const honest = stack.use(await open({ name: 'honest', url: server.url, allowPrivateAddresses: true }));
  const folder = await mkdtemp(join(tmpdir(), 'ravi-hostile-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const opened = stack.move();
  return {
    async run(given, transport) {
      // A crash of the host would be one of these.
      const crashes: unknown[] = [];
      const note = (error: unknown): void => void crashes.push(error);
      process.on('uncaughtException', note);
      process.on('unhandledRejection', note);
      try {
        await check(given, transport, honest, join(folder, 'calls.txt'));
      } finally {
        process.off('uncaughtException', note);
        process.off('unhandledRejection', note);
        await rm(join(folder, 'calls.txt'), { force: true });
      }
      assert.deepEqual(crashes, []);
      assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function open(options: McpServerOptions): Promise<OpenToolSource> {
  const source = createMcpSource(options, { clock: systemClock, logger: createMemoryLogger() });
  return source.open({ signal: new AbortController().signal, onChange: () => undefined });
}

async function check(
  given: HostileCase,
  transport: 'stdio' | 'http',
  honest: OpenToolSource,
  calls: string,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { expected, callMs = 5_000, connectMs = 10_000 } = given;
  const limits = { callMs, connectMs };
  let httpCalls: () => number = () => 0;
  let options: McpServerOptions = { name: 'script', limits, ...scriptCommand(given.title), env: { RAVI_CALLS: calls } };
  if (transport === 'http') {
    const server = stack.use(await serveHttp(given));
    httpCalls = () => server.requests.filter((method) => method === 'tools/call').length;
    options = { name: 'script', limits, url: server.url, allowPrivateAddresses: true, transport: 'http' };
  }
  const source = stack.use(await open(options));
  const callsMade = async (): Promise<number> =>
    httpCalls() + (await readFile(calls, 'utf8').catch(() => '')).split('\n').length - 1;

  const { tools, failures } = source.content();
  const names = expected.tools ?? (expected.outcome === 'absent' ? [] : ['work']);
  assert.equal(
    tools.length,
    names.length,
    `${tools.map(({ name }) => name).join()} ${JSON.stringify(source.remote?.status())}`,
  );
  for (const [index, name] of names.entries())
    assert.ok(tools[index]?.name.startsWith(`script__${name}`), tools[index]?.name);
  const said = JSON.stringify([source.remote?.status().message, failures]);
  assert.ok(said.length < 100_000);
  if (expected.outcome === 'absent' && expected.error !== undefined) assert.match(said, expected.error);

  let mayCall = false;
  const toolbox = new Toolbox([], { logger: createMemoryLogger() });
  toolbox.setSource('honest', honest.content().tools);
  toolbox.setSource('script', tools);
  const approvalHandler = createTestApprovals(async (request) => {
    if (request.elicitation !== undefined)
      return { decision: expected.answer === 'accept' ? 'approved' : 'denied', content: {} };
    return { decision: mayCall ? 'approved' : 'denied' };
  });
  const invoker = new ToolInvoker({ registry: toolbox, approvalHandler, logger: createMemoryLogger() });
  const invoke = async (name: string): Promise<InvocationResult> => {
    await using session = invoker.openSession();
    return await invoker.invoke({ name, args: { value: 'v' } }, { session });
  };

  if (expected.outcome !== 'absent') {
    const denied = await invoke('script__work');
    assert.equal(denied.status, 'denied');
    assert.equal(await callsMade(), 0, 'the server got a call that no person approved');
    mayCall = true;
    const result = await invoke('script__work');
    const message = result.error?.message ?? result.text;
    assert.equal(result.status, expected.outcome === 'works' ? 'ok' : 'error', message.slice(0, 500));
    assert.ok((await callsMade()) >= 1);
    if (expected.error !== undefined) assert.match(message, expected.error);
    if (expected.text !== undefined) assert.match(result.text, expected.text);
  }
  mayCall = true;
  const neighbour = await invoke('honest__work');
  assert.deepEqual([neighbour.status, neighbour.text], ['ok', '{"value":"v"}']);
}
