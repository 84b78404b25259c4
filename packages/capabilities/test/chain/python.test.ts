import assert from 'node:assert/strict';
import { createAutoApproval } from '@ravi/approval-auto';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { ChainPolicy, ChainRunResult, JsonObject, JsonValue } from '@ravi/kernel';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { afterAll, test } from 'vitest';
import { createToolChainTool, runChain } from '../../src/index.ts';
import { freeTool } from './harness.ts';

const sandbox = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
afterAll(() => sandbox[Symbol.asyncDispose]());

let release: (() => void)[] = [];
const tools = [
  freeTool('get-order', ({ id }) => ({ id: id ?? null, total: 12.5, lines: [1, 2] })),
  freeTool('text', () => 'plain text'),
  freeTool('number', () => 41),
  freeTool('echo', (args) => args),
  freeTool('big', () => Array.from({ length: 20_000 }, (_, id) => ({ id, text: `row ${id}` }))),
  freeTool('count', ({ rows }) => String((rows as unknown[]).length)),
  freeTool('photo', () => ({
    content: [
      { type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array([137, 80, 78, 71]) } },
    ],
    isError: false,
  })),
  freeTool('fail', () => Promise.reject(new Error('it broke'))),
  freeTool('slow', () => new Promise<string>(() => {})),
  freeTool('danger', () => 'done', { risk: 'high' }),
  freeTool('meet', ({ id }) => {
    return new Promise<string>((resolve) => {
      release.push(() => resolve(JSON.stringify(id)));
      if (release.length === 3) for (const free of release.splice(0)) free();
    });
  }),
];
const store = createMemoryBlobStore();
const invoker = new ToolInvoker({
  registry: new Toolbox(tools),
  artifactStore: store,
  approvalHandler: createAutoApproval({ rules: [{ tool: 'danger', decision: 'denied' }] }),
});

function run(
  code: string,
  options: { policy?: Partial<ChainPolicy>; input?: JsonObject } = {},
): Promise<ChainRunResult> {
  return runChain({
    code,
    language: 'python',
    invoker,
    sandbox,
    session: { principal: 'tester', sessionId: 'session' },
    ...options,
  });
}

const values: readonly (readonly [code: string, expected: JsonValue])[] = [
  [
    'order = tools["get-order"]({"id": 7})\n[order["total"], order.structured["id"], len(order["lines"]), order.status]',
    [12.5, 7, 2, 'ok'],
  ],
  ['t = tools.text()\n[t.upper(), t.text, t.status]', ['PLAIN TEXT', 'plain text', 'ok']],
  ['tools.number() + 1', 42],
  [
    'import json\njson.loads(json.dumps(tools.echo(a=[1, {"b": None}], **{"c d": True})))',
    { a: [1, { b: null }], 'c d': true },
  ],
  ['tools.echo({"from": "a keyword"})["from"]', 'a keyword'],
  ['big = tools.big()\n[len(big), tools.count(rows=big)]', [20_000, '20000']],
  [
    'try:\n    tools.danger()\nexcept PermissionError as e:\n    result = [type(e).__name__, e.code, e.status]',
    ['ToolDeniedError', 'E_APPROVAL_DENIED', 'denied'],
  ],
  ['try:\n    tools.fail()\nexcept ToolError as e:\n    result = "broke" in str(e)', true],
  ['r = tools.fail.safe()\n[r.status, bool(r), type(r.error).__name__]', ['error', false, 'ToolError']],
  [
    'try:\n    tools.echo(1, 2)\nexcept TypeError as e:\n    result = str(e)',
    'tools.echo takes named arguments, or one dict of them',
  ],
  ['try:\n    tools.echo(a={1, 2})\nexcept TypeError as e:\n    result = "set is not JSON" in str(e)', true],
  [
    'import asyncio\na, b, c = await asyncio.gather(tools.meet(id=1), tools.meet(id=2), tools.meet(id=3))\nreturn [a, b, c]',
    ['1', '2', '3'],
  ],
  [
    'import asyncio\nasync def one(i):\n    return await tools.meet(id=i)\nreturn list(await asyncio.gather(*[one(i) for i in range(3)]))',
    ['0', '1', '2'],
  ],
  ['x = tools.text()\nreturn [await x == x, (await tools.number()) + 1]', [true, 42]],
  [
    'import asyncio\nr = await asyncio.gather(tools.text(), tools.fail(), return_exceptions=True)\nreturn [r[0], type(r[1]).__name__]',
    ['plain text', 'ToolError'],
  ],
  [
    'photo = tools.photo()\n[open(photo.files[0].path(), "rb").read(4).hex(), photo.files[0].media_type, open(photo.files[0], "rb").read(1).hex()]',
    ['89504e47', 'image/png', '89'],
  ],
  ['input["who"]', 'wörld'],
  ['[t["name"] for t in tools.search("order", limit=1)["tools"]]', ['get-order']],
  [
    '["text" in tools, "texd" in tools, "text" in list(tools), len(tools) > 2, bool(tools)]',
    [true, false, true, true, true],
  ],
  ['```python\nprint("fenced")\n7\n```', 7],
];

for (const [code, expected] of values) {
  test(`Python gives the value of: ${code}`, async () => {
    release = [];
    const result = await run(code, { input: { who: 'wörld' } });
    assert.equal(result.status, 'ok', result.outputText);
    assert.deepEqual(result.value, expected);
  });
}

test('an artifact is passed on, and read in every way', async () => {
  const code = `
big = tools.big()
whole = big.json()
lines = sum(1 for _ in big.lines())
with big.open() as file:
    start = file.read(2).decode()
return [type(big).__name__, big.status, big.size > 1000, len(whole), lines, start, big.text()[:2], tools.count(rows=big)]`;
  const { value } = await run(code, { policy: { maxScriptResultBytes: 1_000 } });
  assert.deepEqual(value, ['ArtifactResult', 'ok', true, 20_000, 1, '[{', '[{', '20000']);
});

test('files in /workspace/out come back, stored for the session', async () => {
  const result = await run(
    'import os\nos.makedirs("/workspace/out/a")\nopen("/workspace/out/a/table.csv", "w").write("x,y\\n")\nopen("/workspace/out/raw", "wb").write(bytes(range(256)))',
  );
  assert.deepEqual(
    result.files?.map(({ path, mediaType, bytes }) => ({ path, mediaType, bytes })),
    [
      { path: '/workspace/out/raw', mediaType: 'application/octet-stream', bytes: 256 },
      { path: '/workspace/out/a/table.csv', mediaType: 'text/csv', bytes: 4 },
    ],
  );
  const [raw] = result.files ?? [];
  assert.deepEqual(
    await store.resolve(raw?.artifactRef ?? ''),
    new Uint8Array(Array.from({ length: 256 }, (_, i) => i)),
  );
});

test('a timeout and an exhausted budget are errors of their own kind', async () => {
  const slow = await run('try:\n    tools.slow()\nexcept TimeoutError as e:\n    result = e.code', {
    policy: { callTimeoutMs: 60, approvalTimeoutMs: 50 },
  });
  assert.equal(slow.value, 'E_CALL_TIMEOUT');
  const budget = await run('try:\n    for _ in range(9): tools.text()\nexcept BudgetError as e:\n    result = e.code', {
    policy: { maxScriptCalls: 3 },
  });
  assert.equal(budget.value, 'E_BUDGET_EXHAUSTED');
  assert.equal(budget.toolCalls, 3);
});

test('a failure is reported in the lines of the script, the calls before it kept', async () => {
  const result = await run('```python\nx = tools.text()\ny = x + 1\n```');
  assert.equal(result.status, 'error');
  assert.deepEqual([result.error?.line, result.error?.code], [3, 'E_SCRIPT_FAILED']);
  assert.match(result.error?.excerpt ?? '', /> 3 \| y = x \+ 1/);
  assert.deepEqual(
    result.callTrace.map(({ tool, status }) => [tool, status]),
    [['text', 'ok']],
  );
  const syntax = await run('def f(:\n  pass');
  assert.deepEqual([syntax.error?.code, syntax.error?.line], ['E_SCRIPT_SYNTAX', 1]);
  const unknown = await run('tools.txet()');
  assert.match(unknown.error?.suggestion ?? '', /tools\.text/);
});

test('tool_chain describes the languages that its sandbox runs', () => {
  const both = { ...sandbox, supports: { ...sandbox.supports, languages: ['javascript', 'python'] as const } };
  const { description, inputSchema } = createToolChainTool({ invoker, sandbox: both });
  assert.match(description, /asyncio\.gather/);
  assert.deepEqual((inputSchema['properties'] as JsonObject)['language'], {
    enum: ['javascript', 'python'],
    description: 'javascript when absent',
  });
});
