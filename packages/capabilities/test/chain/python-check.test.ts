import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { ChainRunResult } from '@ravi/kernel';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { afterAll, expect, test } from 'vitest';
import { runChain } from '../../src/index.ts';
import type { ChainRunOptions } from '../../src/index.ts';
import { freeTool } from './harness.ts';

const sandbox = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
afterAll(() => sandbox[Symbol.asyncDispose]());

const photo = freeTool('photo', () => ({
  content: [
    { type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array([137, 80, 78, 71]) } },
  ],
  structuredContent: { taken: 1 },
  isError: false,
}));
const tools = [freeTool('list_orders', () => [{ id: 1 }]), freeTool('send-mail', () => 'sent'), photo];
const invoker = new ToolInvoker({ registry: new Toolbox(tools), artifactStore: createMemoryBlobStore() });

function run(code: string, options: Partial<ChainRunOptions> = {}): Promise<ChainRunResult> {
  return runChain({ code, language: 'python', invoker, sandbox, ...options });
}

test('mistyped tools stop a script before any of it runs, all of them at once', async () => {
  const result = await run(
    '```python\nprint("ran")\norders = tools.list_orders()\nif orders:\n    größe = tools.list_order(of="ü")\n    tools["send_mail"]({"to": größe})\n```',
  );
  expect(result).toMatchObject({ status: 'error', toolCalls: 0, logs: [] });
  expect(result.outputText).toBe(`The script was not run: it has 2 mistakes. No tool was called.

There is no tool named "list_order" [E_SCRIPT_TYPES]

At line 5, column 19:
  4 | if orders:
> 5 |     größe = tools.list_order(of="ü")
  6 |     tools["send_mail"]({"to": größe})

Did you mean tools.list_orders(args)?

There is no tool named "send_mail" [E_SCRIPT_TYPES]

At line 6, column 11:
  5 |     größe = tools.list_order(of="ü")
> 6 |     tools["send_mail"]({"to": größe})
  7 | \`\`\`

Did you mean tools["send-mail"](args)?`);
});

const onPurpose: readonly string[] = [
  'tools.list_order.safe().status',
  'try:\n    x = tools.list_order()\nexcept ToolError:\n    x = tools.list_orders()\nlen(x)',
  'try:\n    x = tools.list_order()\nexcept* ToolError:\n    x = tools.list_orders()\nlen(x)',
  'import sys, types\nsys.modules["tools"] = sys.modules["tools.x"] = types.SimpleNamespace(list_order=lambda: 4)\nimport tools.x\ntools.list_order()',
  'import contextlib\nwith contextlib.suppress(ToolError):\n    tools.list_order()\n1',
  'import asyncio\nr = await asyncio.gather(tools.list_order(), return_exceptions=True)\nreturn len(r)',
  'class Fake:\n    def list_order(self): return 1\ntools = Fake()\ntools.list_order()',
  'def use(tools): return 1 if tools else tools.list_order()\nuse(1)',
  'exec("tools = 5")\nif tools == 6: tools.list_order()\n1',
  'name = "list_order"\nif hasattr(tools, "x") is None: tools.list_order()\n1',
  'tools.list_order = lambda: 3\ntools.list_order()',
  'f = tools.list_order\nif not f: tools.list_order()\n1',
  'len(tools.search("order")["tools"])',
  'if False: tools.zzzzzzzz()\n1',
];
for (const code of onPurpose) {
  test(`runs a script without certain mistakes: ${code}`, async () => {
    const { status, outputText } = await run(code);
    expect(status, outputText).toBe('ok');
  });
}

test('a tool that there is not, and none like it, is doubted', async () => {
  const { status, warnings } = await run('if False: tools.zzzzzzzz()\n1');
  expect(status).toBe('ok');
  expect(warnings).toMatchObject([{ code: 'E_SCRIPT_TYPES', line: 1, column: 17 }]);
});

test('a script that sends a check of its own gets no reply', async () => {
  const code = `
host = type(tools.list_orders).__call__.__globals__["host"]
tools.list_orders()
host.call("check", '[{"name":"list_order","line":1,"column":1,"certain":true}]')`;
  const { error, toolCalls, outputText } = await run(code);
  expect(toolCalls).toBe(1);
  expect(error?.code).toBe('E_SCRIPT_FAILED');
  expect(outputText).toMatch(/^The script failed/);
});

test('the check can be switched off, and syntax is read before anything runs all the same', async () => {
  const unchecked = await run('tools.list_orders()\ntools.list_order()', { preflight: false });
  expect(unchecked).toMatchObject({ toolCalls: 2, error: { code: 'E_TOOL_UNKNOWN', line: 2 } });
  const { error, toolCalls } = await run('tools.list_orders()\nif True print(1)');
  expect(error).toMatchObject({ code: 'E_SCRIPT_SYNTAX', line: 2 });
  expect(error?.excerpt).toContain('> 2 | if True print(1)');
  expect(toolCalls).toBe(0);
});

test('files of earlier calls are at their paths before the script, its own as they come', async () => {
  await using session = invoker.openSession();
  const { files } = await invoker.invoke({ name: 'photo', args: {} }, { session });
  const code = `
from pathlib import Path
before = [p.name for p in Path("/workspace/media").iterdir()]
first = Path("${files[0]?.path}").read_bytes().hex()
made = tools.photo()
return [before, first, made["taken"], open(made.files[0].path(), "rb").read().hex()]`;
  const sessionOptions = { parent: session, parentCallId: 'call_2' };
  const { value, outputText } = await run(code, { session: sessionOptions });
  expect(value, outputText).toEqual([['call_1-photo-0.png'], '89504e47', 1, '89504e47']);
});
