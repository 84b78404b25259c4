import { HookManager, ToolInvoker, Toolbox } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { ChainRunResult } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPreflight, runChain } from '../../src/index.ts';
import { badScripts } from './bad-scripts.ts';
import { goodScripts } from './good-scripts.ts';
import { officeTools } from './office-tools.ts';

const sandbox = createIsolatedVmSandbox();
// The time limit is not tested here, and the machine may be busy.
const preflight = createPreflight({ timeLimitMs: 60_000 });
const invoker = new ToolInvoker({ registry: new Toolbox(officeTools), artifactStore: createMemoryBlobStore() });

beforeAll(() => preflight.warm());
afterAll(async () => {
  await preflight[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();
});

function run(code: string, options: object = {}): Promise<ChainRunResult> {
  return runChain({ code, invoker, sandbox, preflight, ...options });
}

for (const [name, code] of Object.entries(goodScripts)) {
  test(`a good script passes and runs: ${name}`, async () => {
    const result = await run(code);
    expect(result.outputText).not.toContain('[E_');
    expect(JSON.stringify(result.warnings ?? [])).not.toContain('was not checked');
    expect(result.status).toBe('ok');
  });
}

for (const [name, { code, line, column, message, suggestion }] of Object.entries(badScripts)) {
  test(`a mistake stops the script before it does anything: ${name}`, async () => {
    const result = await run(code);
    expect(result).toMatchObject({
      status: 'error',
      error: { code: 'E_SCRIPT_TYPES', message, line, ...(column && { column }), ...(suggestion && { suggestion }) },
      toolCalls: 0,
    });
    expect(result.error?.excerpt).toMatch(new RegExp(`^> *${line} \\| `, 'm'));
  });
}

test('the report lists every mistake with its place, and that no tool was called', async () => {
  const { outputText, warnings, outputBlocks } = await run(`await tools.get_time();
const weather = await tools.get_weather({ citty: 'Oslo' });
return weather.degree;`);
  expect(outputText).toMatchInlineSnapshot(`
    "The script was not run: it has 2 mistakes. No tool was called.

    tools.get_weather has no argument "citty" [E_SCRIPT_TYPES]

    At line 2, column 43:
      1 | await tools.get_time();
    > 2 | const weather = await tools.get_weather({ citty: 'Oslo' });
      3 | return weather.degree;

    Did you mean "city"?

    The value has no property "degree" [E_SCRIPT_TYPES]

    At line 3, column 16:
      2 | const weather = await tools.get_weather({ citty: 'Oslo' });
    > 3 | return weather.degree;

    Did you mean "degrees"?"
  `);
  expect(warnings?.map(({ message }) => message)).toEqual(['The value has no property "degree"']);
  expect(outputBlocks).toEqual([{ type: 'error', message: outputText, code: 'E_SCRIPT_TYPES' }]);
});

const doubtful: readonly (readonly [name: string, code: string, warning: object])[] = [
  [
    'a name that is not there',
    'if (false) fetch("https://a.test"); return 1',
    { line: 1, column: 12, message: "Cannot find name 'fetch'." },
  ],
  [
    'a tool that nothing resembles',
    'if (false) await tools.launch_rocket(); return 1',
    { message: 'There is no tool named "launch_rocket"' },
  ],
  [
    'an argument of another type',
    'const { cents } = (await tools.list_orders())[0]; return (await tools.write_file.safe({ path: "a", content: cents })).status',
    { line: 1 },
  ],
  [
    'a property that an open result may have',
    'return [(await tools.get_weather({ city: "Oslo" })).sunrise]',
    { message: 'The value has no property "sunrise"', suggestion: 'It has city, degrees, conditions, wind_kph' },
  ],
];
for (const [name, code, warning] of doubtful) {
  test(`a doubt does not stop a script but is reported with its value: ${name}`, async () => {
    const result = await run(code);
    expect(result).toMatchObject({ status: 'ok', warnings: [{ code: 'E_SCRIPT_TYPES', ...warning }] });
    expect(result.outputBlocks.at(-1)).toMatchObject({
      text: expect.stringContaining('Warnings from the check before the run:') as string,
    });
  });
}

test('most good scripts have no warnings, and the others try something that may not exist', async () => {
  const doubted: string[] = [];
  for (const [name, code] of Object.entries(goodScripts))
    if ((await run(code)).warnings !== undefined) doubted.push(name);
  expect(doubted).toMatchInlineSnapshot(`
    [
      "a defensive reading",
      "a strict result read with doubts",
      "a condition and then the property",
      "a tool looked for on purpose",
      "a tool looked for by its envelope",
      "a tool with a failure that leads elsewhere",
      "a handler before the failure",
      "a tool that is asked for",
      "a property that is asked for",
      "a reading that is tried otherwise",
    ]
  `);
});

test('a syntax error is reported as such, not as a type error', async () => {
  expect(await run('const a = ;\ntools.get_wether()')).toMatchObject({ error: { code: 'E_SCRIPT_SYNTAX', line: 1 } });
});

test('without the check a script runs up to its mistake', async () => {
  const result = await run('await tools.get_time(); return tools.get_wether({ city: "Oslo" })', { preflight: false });
  expect(result).toMatchObject({ status: 'error', error: { code: 'E_TOOL_UNKNOWN' }, toolCalls: 2 });
});

test('a mistake that interceptors may fix is only a warning', async () => {
  const hooks = new HookManager();
  hooks.intercept(({ args }) => ({ action: 'modify', args: { ...args, city: 'Oslo' } }));
  const fixing = new ToolInvoker({ registry: new Toolbox(officeTools), hooks });
  const result = await run('return (await tools.get_weather({})).city', { invoker: fixing });
  expect(result).toMatchObject({
    status: 'ok',
    value: 'Oslo',
    warnings: [{ message: 'tools.get_weather needs the argument "city"' }],
  });
});

test('a tool that the session may not call is not suggested', async () => {
  const result = await run('return tools.get_wether({ city: "Oslo" })', { session: { allowedTools: ['get_time'] } });
  expect(result).toMatchObject({ error: { code: 'E_TOOL_UNKNOWN' } });
});

test('a run that is cancelled while its script is checked ends at once', async () => {
  const controller = new AbortController();
  const check = Promise.withResolvers<never>();
  const stuck = { ...preflight, check: () => (controller.abort(), check.promise) };
  const result = await run('return 1', { preflight: stuck, signal: controller.signal });
  expect(result).toMatchObject({ status: 'cancelled', toolCalls: 0 });
});
