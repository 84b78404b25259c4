import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { SessionOptions } from '@ravi/invoker';
import { createAutoApproval } from '@ravi/approval-auto';
import type { AutoApprovalRule } from '@ravi/approval-auto';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { JsonObject, Snippet } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, expect, test } from 'vitest';
import {
  createDiscoveryTools,
  createFolderSnippetStore,
  createSnippetTool,
  createSnippetToolSource,
  createToolChainTool,
  runChain,
  saveSnippet,
} from '../../src/index.ts';
import type { SaveSnippetOptions, SnippetToolOptions } from '../../src/index.ts';
import { freeTool } from '../chain/harness.ts';

const sandbox = createIsolatedVmSandbox();
const folder = mkdtempSync(join(tmpdir(), 'ravi-snippets-'));
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let stores = 0;

/** Creates tools, an invoker, an empty store, and a function that saves a script as a snippet. */
function createWorkshop(rules: readonly AutoApprovalRule[] = []) {
  const sent: JsonObject[] = [];
  const toolbox = new Toolbox([
    freeTool('orders', ({ of }) => [{ id: 1, of: of ?? null, cents: 500 }]),
    freeTool('refund', (args) => (sent.push(args), { done: true }), { risk: 'high' }),
    freeTool('secret', () => 'secret'),
  ]);
  const artifactStore = createMemoryBlobStore();
  const invoker = new ToolInvoker({ registry: toolbox, artifactStore, approvalHandler: createAutoApproval({ rules }) });
  const path = join(folder, String(++stores));
  const store = createFolderSnippetStore(path);

  async function save(code: string, options: Partial<SaveSnippetOptions> & { readonly input?: JsonObject } = {}) {
    const { input, ...rest } = options;
    const run = await runChain({ code, invoker, sandbox, ...(input === undefined ? {} : { input }) });
    const named = { name: 'saved', description: 'A snippet.', runId: 'run_7', clock: { now: () => 5 } };
    return saveSnippet({ store, registry: toolbox, code, run, ...named, ...rest });
  }

  async function call(name: string, args: JsonObject = {}, session: SessionOptions = {}) {
    await using opened = invoker.openSession(session);
    const result = await invoker.invoke({ name, args }, { session: opened });
    return { result, trace: opened.trace };
  }

  function offer(snippet: Snippet, options: Partial<SnippetToolOptions> = {}): void {
    toolbox.add(createSnippetTool(snippet, { invoker, sandbox, ...options }), { source: 'snippets' });
  }

  return { toolbox, invoker, store, path, sent, save, call, offer };
}

const approved: readonly AutoApprovalRule[] = [{ tool: 'refund', decision: 'approved' }];
const ofCustomer = { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] };

test('a script whose run succeeded is saved with the tools that it called, and runs again as a tool with arguments', async () => {
  const { toolbox, store, invoker, save, call } = createWorkshop();
  const snippet = await save('return (await tools.orders({ of: input.customer }))[0].of', {
    name: 'first_customer',
    inputSchema: ofCustomer,
    input: { customer: 'ada' },
  });
  expect(snippet).toMatchObject({
    name: 'first_customer',
    version: 1,
    principal: 'local',
    createdAt: 5,
    sourceRunId: 'run_7',
  });
  expect(snippet.tools).toEqual([{ name: 'orders', digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string }]);

  await using source = await createSnippetToolSource({ store, invoker, sandbox }).open({
    signal: AbortSignal.timeout(5_000),
    onChange() {},
  });
  const { tools, failures } = source.content();
  expect(failures).toEqual([]);
  for (const tool of tools) toolbox.add(tool, { source: 'snippets' });
  expect(toolbox.get('first_customer')?.description).toBe('A snippet.\n(Snippet, version 1.)');
  const { result, trace } = await call('first_customer', { customer: 'grace' });
  expect(result).toMatchObject({ status: 'ok', text: 'grace' });
  expect(trace.map((record) => record.tool)).toEqual(['first_customer']);
  expect((await call('first_customer', {})).result.error?.code).toBe('E_ARGUMENTS_INVALID');
});

test('a script whose run failed is not saved', async () => {
  const { save, store } = createWorkshop();
  await expect(save('throw new Error("no")')).rejects.toMatchObject({
    code: 'E_SNIPPET_INVALID',
    message: 'Only a script whose run succeeded can be saved; this one ended as error (E_SCRIPT_FAILED)',
  });
  expect(await store.list('local')).toEqual([]);
});

test('the name of another tool is refused; that of an earlier version is not', async () => {
  const { save, offer } = createWorkshop();
  await expect(save('return 1', { name: 'orders' })).rejects.toMatchObject({ code: 'E_TOOL_NAME_CONFLICT' });
  offer(await save('return 1'));
  expect(await save('return 2')).toMatchObject({ version: 2 });
});

test('a failed call does not prevent a script from being saved', async () => {
  const { save } = createWorkshop();
  const snippet = await save('await tools.nothing.safe(); await tools.refund.safe(); return tools.orders()');
  expect(snippet.tools.map((tool) => tool.name)).toEqual(['orders', 'refund']);
});

test('it may only call and find the tools that it declares', async () => {
  const { save, offer, call } = createWorkshop();
  const code = `
    const names = (await tools.search('')).tools.map(({ name }) => name);
    if (input.attack) return [names, (await tools.secret.safe()).error.code];
    return tools.orders()`;
  const anything = { type: 'object', properties: { attack: { type: 'boolean' } } };
  offer(await save(code, { inputSchema: anything, input: { attack: false } }));
  const { result } = await call('saved', { attack: true });
  expect(JSON.parse(result.text)).toEqual([['orders'], 'E_TOOL_NOT_ALLOWED']);
});

test('it may not call tools that the calling session may not call', async () => {
  const { save, offer, call } = createWorkshop();
  offer(await save('return (await tools.orders.safe()).error?.code ?? "called"'));
  expect((await call('saved')).result.text).toBe('called');
  expect((await call('saved', {}, { allowedTools: ['saved', 'secret'] })).result.text).toBe('E_TOOL_NOT_ALLOWED');
});

test('risk is checked at each run: earlier approvals do not count', async () => {
  const then = createWorkshop(approved);
  const snippet = await then.save('return tools.refund({ cents: 5 })');
  expect(then.sent).toEqual([{ cents: 5 }]);
  const now = createWorkshop([{ decision: 'denied', reason: 'Not today' }]);
  now.offer(snippet);
  const { result } = await now.call('saved');
  expect(result).toMatchObject({ status: 'error', error: { code: 'E_APPROVAL_DENIED' } });
  expect(result.text).toContain('Not today');
  expect(now.sent).toEqual([]);
});

test('neither a script nor a snippet can call a snippet', async () => {
  const { toolbox, invoker, save, offer, call } = createWorkshop();
  offer(await save('return (await tools.saved.safe()).error.code'));
  toolbox.add(createToolChainTool({ invoker, sandbox }));
  expect((await call('saved')).result.text).toBe('E_TOOL_NOT_CALLABLE');
  const code = 'return (await tools.saved.safe()).error.code';
  expect((await call('tool_chain', { code })).result.text).toBe('E_TOOL_NOT_CALLABLE');
});

test('the model finds snippets and reads their code', async () => {
  const { toolbox, save, offer, call } = createWorkshop();
  for (const tool of createDiscoveryTools(toolbox)) toolbox.add(tool);
  offer(await save('return tools.orders()', { description: 'Reports the giraffes of the zoo.' }));
  expect((await call('search_tools', { query: 'giraffe report' })).result.text).toContain(
    '- saved(): Reports the giraffes',
  );
  expect((await call('describe_tool', { name: 'saved' })).result.text).toContain(
    'Saved 1970-01-01T00:00:00.005Z from the run run_7. It calls orders.\n\n```ts\nreturn tools.orders()\n```',
  );
});

test('a changed tool stops it before anything runs, and is named', async () => {
  const { toolbox, sent, save, offer, call } = createWorkshop(approved);
  offer(await save('await tools.refund(); return tools.orders()'));
  sent.length = 0;
  toolbox.add(freeTool('orders', () => [], { description: 'Orders, in euros now' }));
  const { result } = await call('saved');
  expect(result.error).toMatchObject({
    code: 'E_SNIPPET_OUTDATED',
    message:
      'Version 1 of the snippet saved was saved with other tools: orders has changed. ' +
      'Check its code against the current tools, and save a new version',
  });
  expect(sent).toEqual([]);
});

test('with warn a changed tool is reported and called; a missing one still stops the snippet', async () => {
  const { toolbox, save, offer, call } = createWorkshop();
  offer(await save('return (await tools.orders()).length'), { onChangedTool: 'warn' });
  toolbox.add(freeTool('orders', () => [1, 2], { inputSchema: { type: 'object', properties: { page: {} } } }));
  expect((await call('saved')).result.text).toMatch(/^Note: .*orders has changed.*\n2$/);
  toolbox.remove('orders');
  expect((await call('saved')).result.error).toMatchObject({
    code: 'E_SNIPPET_OUTDATED',
    message: expect.stringContaining('orders no longer exists') as string,
  });
});

test('another risk, or the same definition in another order, does not count as a change', async () => {
  const { toolbox, save, offer, call } = createWorkshop();
  const inputSchema = { type: 'object', properties: { a: {}, b: {} } };
  toolbox.add(freeTool('orders', () => 'one', { inputSchema }));
  offer(await save('return tools.orders()'));
  toolbox.add(
    freeTool('orders', () => 'two', { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, risk: 'safe' }),
  );
  expect((await call('saved')).result.text).toBe('two');
});

test('it runs only for the principal that saved it', async () => {
  const { save, offer, call } = createWorkshop();
  offer(await save('return 1', { principal: 'ada' }));
  expect((await call('saved', {}, { principal: 'ada' })).result.text).toBe('1');
  expect((await call('saved', {}, { principal: 'eve' })).result.error?.code).toBe('E_TOOL_NOT_ALLOWED');
});

test('a failure is reported with its place in the saved code', async () => {
  const { save, offer, call } = createWorkshop();
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
  const code = 'input.text.trim(); return tools.orders()';
  offer(await save(code, { inputSchema, input: { text: 'x' } }));
  const { result } = await call('saved', {});
  expect(result.text).toContain('At line 1, column 12:\n> 1 | input.text.trim(); return tools.orders()');
});

test('a damaged snippet is reported by name, and the others are offered', async () => {
  const { store, path, invoker, save } = createWorkshop();
  for (const name of ['bad', 'good']) await save('return 1', { name });
  const [file] = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('bad/1.json'));
  writeFileSync(join(path, file!), '{');
  await using source = await createSnippetToolSource({ store, invoker, sandbox }).open({
    signal: AbortSignal.timeout(5_000),
    onChange() {},
  });
  const { tools, failures } = source.content();
  expect(tools.map((tool) => tool.name)).toEqual(['good']);
  expect(failures).toEqual([{ from: 'bad', message: 'Version 1 of the snippet bad is damaged: its file is not JSON' }]);
});

test('a cancelled load is reported as cancelled', async () => {
  const { store, invoker, save } = createWorkshop();
  await save('return 1');
  const source = createSnippetToolSource({ store, invoker, sandbox });
  await expect(source.open({ signal: AbortSignal.abort(), onChange() {} })).rejects.toMatchObject({
    code: 'E_CANCELLED',
  });
});

test('a snippet in a language that does not run here is refused by name', async () => {
  const { store, invoker, save } = createWorkshop();
  const snippet = await save('return 1');
  await store.put({ ...snippet, name: 'pythonic', language: 'python' });
  await using source = await createSnippetToolSource({ store, invoker, sandbox }).open({
    signal: AbortSignal.timeout(5_000),
    onChange() {},
  });
  const { tools, failures } = source.content();
  expect(tools.map((tool) => tool.name)).toEqual(['saved']);
  const message =
    'The sandbox isolated-vm runs javascript, not python; install @ravi/sandbox-pyodide, which runs it, and add { "use": "@ravi/sandbox-pyodide" } to plugins.sandbox';
  expect(failures).toEqual([{ from: 'pythonic', message }]);
});
