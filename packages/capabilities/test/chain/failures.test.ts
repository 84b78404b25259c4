import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import type { ChainPolicy } from '@ravi/kernel';
import { afterAll, expect, test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

let started: () => void = () => undefined;
const { run, pins } = createHarness(sandbox, [
  freeTool('get_weather', () => ({ degrees: 21 })),
  freeTool('send', () => 'sent'),
  freeTool('large', () => 'x'.repeat(10_000)),
  freeTool('fail', () => {
    throw new Error('The mail server said no');
  }),
  freeTool('wait', () => {
    started();
    return new Promise(() => {});
  }),
]);

interface Failure {
  readonly name: string;
  readonly code: string;
  readonly policy?: Partial<ChainPolicy>;
  readonly status?: 'error' | 'timeout';
  readonly error: object;
}

const shortTime = { totalTimeoutMs: 400, callTimeoutMs: 300, approvalTimeoutMs: 200 };
const failures: readonly Failure[] = [
  {
    name: 'a syntax error',
    code: 'const a = 1;\nconst b = ;',
    error: { code: 'E_SCRIPT_SYNTAX', line: 2, column: 11 },
  },
  {
    name: 'a long script',
    code: `// ${'x'.repeat(300)}`,
    policy: { maxSourceBytes: 200 },
    error: { code: 'E_LIMIT_SOURCE', message: 'The script has 303 bytes; the limit maxSourceBytes is 200' },
  },
  {
    name: 'recursion that is too deep',
    code: 'const a = 1;\nconst again = () => again() + 1;\nreturn again();',
    error: {
      code: 'E_LIMIT_STACK',
      line: 2,
      message: 'RangeError: Maximum call stack size exceeded',
      suggestion: 'The recursion is too deep: use a loop, or split the work into smaller parts',
    },
  },
  {
    name: 'a call that brings too much',
    code: 'return (await tools.large()).length',
    policy: { maxCallOutputBytes: 1_000 },
    error: {
      code: 'E_LIMIT_CALL_OUTPUT',
      line: 1,
      message: 'ToolError: The result of the call takes 10000 bytes; the limit maxCallOutputBytes is 1000',
    },
  },
  {
    name: 'an endless loop',
    code: 'for (;;) {}',
    policy: { cpuTimeMs: 200 },
    status: 'timeout',
    error: { code: 'E_LIMIT_CPU', message: 'The script computed for longer than 200 ms (cpuTimeMs)' },
  },
  {
    name: 'an endless chain of promises',
    code: 'const f = () => Promise.resolve().then(f); await f()',
    policy: { cpuTimeMs: 200 },
    status: 'timeout',
    error: { code: 'E_LIMIT_CPU' },
  },
  {
    name: 'a script that waits too long',
    code: 'await sleep(60_000)',
    policy: shortTime,
    status: 'timeout',
    error: { code: 'E_LIMIT_WALL', message: 'The script took longer than 400 ms (totalTimeoutMs)' },
  },
  {
    name: 'a call that never answers, under the time of the whole script',
    code: 'await Promise.all([tools.wait(), sleep(60_000)])',
    policy: { totalTimeoutMs: 400, callTimeoutMs: 400, approvalTimeoutMs: 200 },
    status: 'timeout',
    error: { code: 'E_LIMIT_WALL' },
  },
  {
    name: 'a memory bomb',
    code: 'const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))',
    policy: { memoryLimitBytes: 67_108_864 },
    error: { code: 'E_LIMIT_MEMORY', message: expect.stringContaining('67108864 bytes of memory (memoryLimitBytes)') },
  },
  {
    name: 'a bomb of buffers',
    code: 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))',
    policy: { memoryLimitBytes: 67_108_864 },
    error: { code: 'E_LIMIT_MEMORY', message: expect.stringContaining('memoryLimitBytes') },
  },
  {
    name: 'a return value of 50 MB',
    code: 'return "x".repeat(50_000_000)',
    error: { code: 'E_LIMIT_RESULT', message: expect.stringContaining('1048576 bytes (maxResultBytes)') },
  },
  {
    name: 'a cyclic value',
    code: 'const a = { b: [] }; a.b.push(a); return a',
    error: { code: 'E_RESULT_NOT_JSON', message: expect.stringContaining('$.b[0]') },
  },
  {
    name: 'a BigInt',
    code: 'return { rows: [{ id: 5n }] }',
    error: { code: 'E_RESULT_NOT_JSON', message: expect.stringContaining('BigInt at $.rows[0].id') },
  },
  {
    name: 'a Map',
    code: 'return new Map([[1, 2]])',
    error: { code: 'E_RESULT_NOT_JSON', message: expect.stringContaining('Map') },
  },
  {
    name: 'a promise that never settles',
    code: 'await new Promise(() => {})',
    error: { code: 'E_SCRIPT_DEADLOCK', message: 'The script awaits a promise that will never settle' },
  },
  {
    name: 'a thrown text',
    code: 'throw "gone wrong"',
    error: { code: 'E_SCRIPT_FAILED', message: 'Error: gone wrong' },
  },
  { name: 'a thrown nothing', code: 'throw undefined', error: { code: 'E_SCRIPT_FAILED' } },
  {
    name: 'too many calls of the host',
    code: 'const all = []; for (let i = 0; i < 20_000; i++) all.push(tools.send.safe()); await Promise.all(all)',
    error: { code: 'E_LIMIT_CALLS' },
  },
  {
    name: 'a name that is not there',
    code: 'const x: number = 1;\n  require("fs")',
    error: {
      code: 'E_SCRIPT_FAILED',
      message: 'ReferenceError: require is not defined',
      line: 2,
      column: 3,
      excerpt: '  1 | const x: number = 1;\n> 2 |   require("fs")',
      suggestion: 'A script has no access to files, network or modules; call a tool',
    },
  },
  {
    name: 'a tool called by its bare name',
    code: 'await get_weather({})',
    error: { suggestion: 'Call it as tools.get_weather(args)' },
  },
  {
    name: '`tool` for `tools`',
    code: 'await tool.get_weather({})',
    error: { suggestion: 'Tools are called as tools.name(args)' },
  },
  {
    name: 'a decorator',
    code: 'class A { @held b() {} }\nreturn 1',
    error: { code: 'E_SCRIPT_SYNTAX', message: expect.stringContaining('decorators are not available') },
  },
  {
    name: 'a tool whose name is nearly right',
    code: '```ts\nawait tools.getWeather({})\n```',
    error: { code: 'E_TOOL_UNKNOWN', line: 2, column: 1, suggestion: 'Did you mean tools.get_weather(args)?' },
  },
];

for (const { name, code, policy, status = 'error', error } of failures) {
  test(`${name} is reported, nothing stays pinned, and the next script runs`, async () => {
    const result = await run(code, policy);
    expect(result).toMatchObject({ status, error });
    expect(result).not.toHaveProperty('value');
    expect(result.outputText).toContain(`[${result.error?.code}]`);
    expect(await pins()).toBe(0);
    expect(await run('return (await tools.get_weather({ city: "Oslo" })).degrees')).toMatchObject({
      status: 'ok',
      value: 21,
    });
  });
}

test('the report of a failed script has the reason, the place, and the calls that were made', async () => {
  const { outputText, outputBlocks } = await run(`interface Weather { degrees: number }
const weather = await tools.get_weather<Weather>({ city: 'Oslo' });
await tools.send.safe({ text: String(weather.degrees) });
await tools.fail();
await tools.send();`);
  expect(outputText).toMatchInlineSnapshot(`
    "The script failed: ToolError: The mail server said no [E_TOOL_FAILED]

    At line 4, column 1:
      3 | await tools.send.safe({ text: String(weather.degrees) });
    > 4 | await tools.fail();
      5 | await tools.send();

    Calls made before the failure; do not repeat those that succeeded:
    1. get_weather({"city":"Oslo"}) → ok
    2. send({"text":"21"}) → ok
    3. fail({}) → error (E_TOOL_FAILED)"
  `);
  expect(outputBlocks).toEqual([{ type: 'error', message: outputText, code: 'E_TOOL_FAILED' }]);
});

test('an error thrown after a call, in a function or in a callback has its place in the script', async () => {
  const places = [
    'await tools.send();\nconst f = () => {\n  null.x;\n};\nf();',
    'await tools.send();\nawait Promise.all([1].map(async () => {\n  await tools.fail();\n}));',
    'await tools.send();\nconst p = tools.fail();\nawait p;',
  ];
  const results = await Promise.all(places.map((code) => run(code)));
  expect(results.map((result) => result.error?.line)).toEqual([3, 3, 3]);
});

test('no result contains a path or a stack trace of the host', async () => {
  const results = await Promise.all(
    ['null.x', 'await tools.fail()', 'throw new Error(new Error().stack)', 'return new Error().stack'].map((code) =>
      run(code),
    ),
  );
  const text = JSON.stringify(results);
  expect(text).not.toContain(import.meta.dirname.split('/').slice(0, 3).join('/'));
  expect(text).not.toMatch(/node:|\.ts:\d|node_modules/);
});

test('a script that stores results and then fails leaves nothing pinned', async () => {
  const result = await run('await tools.large(); null.x');
  expect(result.callTrace[0]?.artifactRef).toBeDefined();
  expect(await pins()).toBe(0);
});

test('a million console lines are cut at the limit, with a notice', async () => {
  const result = await run('for (let i = 0; i < 1_000_000; i++) console.log("line", i); return "done"');
  expect(result).toMatchObject({ status: 'ok', value: 'done' });
  const bytes = result.logs.slice(0, -1).reduce((sum, line) => sum + Buffer.byteLength(line.text) + 1, 0);
  expect(bytes).toBeLessThanOrEqual(65_536);
  expect(result.logs[0]).toEqual({ level: 'log', text: 'line 0' });
  expect(result.logs.at(-1)?.text).toMatch(
    /^\[\d+ bytes of console output were dropped; the limit maxConsoleBytes is 65536\]$/,
  );
});

test('console output is formatted for people and shown to the model with the value', async () => {
  const result = await run('console.log("rows", [{ id: 1 }]); console.warn(new Map([["a", 1]])); return 1');
  expect(result.logs.map(({ level }) => level)).toEqual(['log', 'warn']);
  expect(result.logs[0]?.text).toBe('rows [{ id: 1 }]');
  expect(result.outputBlocks.map((block) => (block.type === 'text' ? block.text.split('\n')[0] : block.type))).toEqual([
    '1',
    'Console output:',
  ]);
});

test('timers end with the run', async () => {
  const result = await run(
    'setTimeout(() => console.log("late"), 50_000); setInterval(() => {}, 10); await sleep(1); return "over"',
  );
  expect(result).toMatchObject({ status: 'ok', value: 'over', logs: [] });
});

test('a value that is only the last expression is left out when it is not JSON', async () => {
  const result = await run('const seen = new Map();\nseen.set("a", await tools.send())');
  expect(result).toMatchObject({ status: 'ok', toolCalls: 1 });
  expect(result.outputText).toContain('The script ended without a value; use return to give one. (');
});

test('an aborted run is cancelled, with its calls recorded', async () => {
  const controller = new AbortController();
  const waiting = new Promise<void>((resolve) => (started = resolve));
  const running = run('await tools.send(); await tools.wait()', undefined, controller.signal);
  await waiting;
  controller.abort();
  const result = await running;
  expect(result).toMatchObject({ status: 'cancelled', error: { code: 'E_CANCELLED' } });
  expect(result.callTrace.map(({ tool, status }) => `${tool} ${status}`)).toEqual(['send ok', 'wait cancelled']);
});

test('a run that was aborted before its start runs nothing', async () => {
  expect(await run('await tools.send()', undefined, AbortSignal.abort())).toMatchObject({
    status: 'cancelled',
    toolCalls: 0,
  });
});

test('a policy that contradicts itself is an error of the caller', async () => {
  await expect(run('return 1', { callTimeoutMs: 300_001 })).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});

test('fifty scripts at once all finish', async () => {
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) => run(`await tools.send(); return ${index}`)),
  );
  expect(results.map(({ value }) => value)).toEqual(Array.from({ length: 50 }, (_, index) => index));
});
