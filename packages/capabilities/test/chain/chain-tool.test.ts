import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createAutoApproval } from '@ravi/approval-auto';
import { notCallableFromChain } from '@ravi/kernel';
import type { ProgressEvent } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, expect, test } from 'vitest';
import { chainToolDeclarations, createToolChainTool } from '../../src/index.ts';
import type { ToolChainToolOptions } from '../../src/index.ts';
import { freeTool, watchedStore } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

function createToolbox(options: Partial<ToolChainToolOptions> = {}) {
  const toolbox = new Toolbox([
    freeTool('whoami', (_, context) => ({
      principal: context.principal,
      session: context.sessionId,
      call: context.callId,
      run: context.runId,
    })),
    freeTool('mail', () => 'sent', { risk: 'high' }),
    freeTool('large', () => 'x'.repeat(9_000)),
    freeTool('later', () => 'x', { deferLoading: true }),
    freeTool('direct_only', () => 'x', { allowedCallers: ['direct'] }),
    { name: 'hosted', description: 'run elsewhere', providerSpecs: {} },
  ]);
  const artifactStore = watchedStore();
  const approvalHandler = createAutoApproval({
    rules: [{ tool: 'mail', decision: 'denied', reason: 'No mail today' }],
  });
  const invoker = new ToolInvoker({ registry: toolbox, artifactStore, approvalHandler });
  const chain = createToolChainTool({ invoker, sandbox, ...options });
  toolbox.add(chain);
  toolbox.add({ ...chain, name: 'another_name', description: 'the same tool by another name' });
  return { toolbox, invoker, artifactStore };
}

async function callTool(code: string, options: Partial<ToolChainToolOptions> = {}) {
  const { invoker } = createToolbox(options);
  const progress: ProgressEvent[] = [];
  await using session = invoker.openSession({
    principal: 'ada',
    sessionId: 's1',
    runId: 'r1',
    onProgress: (event) => progress.push(event),
  });
  const result = await invoker.invoke({ name: 'tool_chain', args: { code }, callId: 'outer' }, { session });
  return { result, trace: session.trace, progress };
}

test('the model calls it like any tool, and the calls inside belong to the same principal, session and run', async () => {
  const { result, trace, progress } = await callTool('return tools.whoami()');
  expect(JSON.parse(result.text)).toEqual({ principal: 'ada', session: 's1', call: 'outer.call_1', run: 'r1' });
  expect(trace.map(({ tool, status }) => `${tool} ${status}`)).toEqual(['tool_chain ok']);
  const messages = progress.map((event) => (event.type === 'tool-progress' ? event.update.message : event.type));
  expect(messages).toEqual(['tool-call', 'whoami …', 'whoami: ok', 'tool-result']);
});

test('a failed script is an error result with the report and its code', async () => {
  const { result } = await callTool('await tools.mail({})');
  expect(result).toMatchObject({ status: 'error', error: { code: 'E_APPROVAL_DENIED' } });
  expect(result.text).toContain('1. mail({}) → denied (E_APPROVAL_DENIED): No mail today');
});

test('a chain cannot start a chain under any name', async () => {
  const code =
    'return [await tools.tool_chain.safe({ code: "1" }), await tools.another_name.safe({ code: "1" })].map((r) => r.error.code)';
  expect(JSON.parse((await callTool(code)).result.text)).toEqual(['E_TOOL_NOT_CALLABLE', 'E_TOOL_NOT_CALLABLE']);
});

test('a script cannot call tools that its calling session does not allow', async () => {
  const { invoker } = createToolbox();
  const code = 'return (await tools.whoami.safe()).error.code';
  const skill = { name: 'chains', instructions: '', description: '', version: '1.0.0', allowedTools: ['tool_chain'] };
  for (const restriction of [{ allowedTools: ['tool_chain', 'mail'] }, { skills: [skill] }]) {
    await using session = invoker.openSession(restriction);
    const result = await invoker.invoke({ name: 'tool_chain', args: { code } }, { session });
    expect(result.text).toBe('E_TOOL_NOT_ALLOWED');
  }
});

test('a script needs approval for every risk for which its calling session needs it', async () => {
  const { invoker } = createToolbox({ policy: { maxRiskUnapproved: 'high' } });
  await using session = invoker.openSession();
  const result = await invoker.invoke({ name: 'tool_chain', args: { code: 'await tools.mail({})' } }, { session });
  expect(result.error?.code).toBe('E_APPROVAL_DENIED');
});

test('its pins are released when the script ends', async () => {
  const { invoker, artifactStore } = createToolbox();
  await using session = invoker.openSession();
  await invoker.invoke({ name: 'tool_chain', args: { code: 'await tools.large(); return 1' } }, { session });
  expect((await artifactStore.stat(artifactStore.refs[0]!))?.pins).toBe(0);
});

test('arguments without a script are refused before anything runs', async () => {
  const { invoker } = createToolbox();
  await using session = invoker.openSession();
  expect(await invoker.invoke({ name: 'tool_chain', args: { code: 5 } }, { session })).toMatchObject({
    error: { code: 'E_ARGUMENTS_INVALID' },
  });
});

test('cancelling the outer call ends the script', async () => {
  const { invoker } = createToolbox();
  const controller = new AbortController();
  await using session = invoker.openSession({
    onProgress: (event) => event.type === 'tool-progress' && controller.abort(),
  });
  const call = invoker.invoke(
    { name: 'tool_chain', args: { code: 'await tools.whoami(); await sleep(60_000)' } },
    { session, signal: controller.signal },
  );
  await expect(call).rejects.toMatchObject({ code: 'E_CANCELLED' });
});

test('its description declares the tools that a script may call and no others', () => {
  const { toolbox } = createToolbox();
  const chain = toolbox.get('tool_chain');
  expect(chain?.description).toContain('  whoami: ToolFunction<');
  expect(chain?.description).toContain('await every call'.replace('await', 'Await'));
  for (const name of ['later', 'direct_only', 'hosted', 'tool_chain', 'another_name']) {
    expect(chainToolDeclarations(toolbox).text).not.toMatch(new RegExp(`\\b${name}\\b`));
  }
  expect((chain as { [notCallableFromChain]?: boolean })[notCallableFromChain]).toBe(true);
});
