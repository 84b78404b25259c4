import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFolderSnippetStore, createSnippetTool, runChain, saveSnippet } from '../../src/index.ts';
import { freeTool } from '../chain/harness.ts';

const sandbox = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
const folder = mkdtempSync(join(tmpdir(), 'ravi-python-snippets-'));
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const toolbox = new Toolbox([
  freeTool('orders', ({ of }) => [{ id: 1, of: of ?? null }]),
  freeTool('secret', () => 'secret'),
]);
const invoker = new ToolInvoker({ registry: toolbox });
const store = createFolderSnippetStore(folder);

async function saved(name: string, code: string) {
  const run = await runChain({ code, language: 'python', input: { customer: 'ada' }, invoker, sandbox });
  return saveSnippet({
    store,
    registry: toolbox,
    name,
    description: 'The first customer.',
    code,
    language: 'python',
    inputSchema: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
    run,
    runId: 'run_1',
  });
}

test('a script in Python is saved, and runs again in Python, with its arguments and its tools alone', async () => {
  const snippet = await saved('first_customer', 'tools.orders(of=input["customer"])[0]["of"].upper()');
  expect(snippet).toMatchObject({ language: 'python', tools: [{ name: 'orders' }] });
  const tool = createSnippetTool(snippet, { invoker, sandbox });
  expect(tool.documentation?.()).toContain('```python\ntools.orders(');
  toolbox.add(tool, { source: 'snippets' });
  await using session = invoker.openSession();
  const result = await invoker.invoke({ name: 'first_customer', args: { customer: 'grace' } }, { session });
  expect(result).toMatchObject({ status: 'ok', text: 'GRACE' });

  const other = await saved('other', 'x = tools.orders()\nif input["customer"] != "ada": tools.secret()\nlen(x)');
  toolbox.add(createSnippetTool(other, { invoker, sandbox }), { source: 'snippets' });
  const refused = await invoker.invoke({ name: 'other', args: { customer: 'grace' } }, { session });
  expect(refused.status).toBe('error');
  expect(refused.text).toContain('E_TOOL_NOT_ALLOWED');
});

test('a sandbox without its language refuses it', async () => {
  await using other = createIsolatedVmSandbox({ poolSize: 0 });
  const snippet = {
    name: 'pythonic',
    version: 1,
    principal: 'local',
    description: 'Nothing.',
    code: '1',
    language: 'python',
    tools: [],
    createdAt: 1,
    sourceRunId: 'run_1',
  } as const;
  expect(() => createSnippetTool(snippet, { invoker, sandbox: other })).toThrow(
    /The sandbox isolated-vm runs javascript, not python; install @ravi\/sandbox-pyodide/,
  );
});
