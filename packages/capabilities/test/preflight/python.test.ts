import { HookManager, ToolInvoker, Toolbox } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { ChainRunResult } from '@ravi/kernel';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { afterAll, expect, test } from 'vitest';
import { runChain } from '../../src/index.ts';
import { badPython } from './bad-python.ts';
import { officeTools } from './office-tools.ts';

const sandbox = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
const invoker = new ToolInvoker({ registry: new Toolbox(officeTools), artifactStore: createMemoryBlobStore() });
afterAll(() => sandbox[Symbol.asyncDispose]());

function run(code: string, options: object = {}): Promise<ChainRunResult> {
  return runChain({ code, language: 'python', invoker, sandbox, ...options });
}

for (const [name, { code, line, column, message, suggestion }] of Object.entries(badPython)) {
  test(`a mistake stops the script before it does anything: ${name}`, async () => {
    const result = await run(code);
    expect(result, result.outputText).toMatchObject({
      status: 'error',
      error: { code: 'E_SCRIPT_TYPES', message, line, ...(column && { column }), ...(suggestion && { suggestion }) },
      toolCalls: 0,
    });
    expect(result.error?.excerpt).toMatch(new RegExp(`^> *${line} \\| `, 'm'));
  });
}

const good: readonly string[] = [
  'weather = tools.get_weather(city="Oslo", unit="C")\n[weather["degrees"], weather.get("rain"), weather.text, weather.status]',
  'options = {"city": "Oslo"}\ntools.get_weather(options)["city"]',
  'options = {"city": "Oslo"}\ntools.get_weather(**options).keys()',
  'args = ["x"]\nfor each in args:\n    weather = tools.get_weather(city=each)\nlen(weather["conditions"])',
  'city = "Oslo"\ncity = 5 if city == "x" else city\ntools.get_weather(city=city)["degrees"]',
  'weather = tools.get_weather(city="Oslo")\nweather["fahrenheit"] = weather["degrees"] * 9 / 5 + 32\nweather["fahrenheit"]',
  'weather = tools.get_weather(city="Oslo")\nweather["rain"] if "rain" in weather else None',
  'try:\n    x = tools.get_weather(city="Oslo")["degree"]\nexcept KeyError:\n    x = 1\nx',
  'sum(order["cents"] for order in sorted(tools.list_orders(), key=lambda order: order["id"])[:3])',
  'orders = {order["id"]: order for order in tools.list_orders()}\norders[1]["cents"]',
  'def total(orders):\n    return sum(order["cents"] for order in orders)\ntotal(tools.list_orders())',
  'def get_weather(city):\n    return tools.get_weather(city=city)["degrees"]\nget_weather("Oslo")',
  'from dataclasses import dataclass, asdict\n@dataclass\nclass Mail:\n    path: str\n    content: str\ntools.write_file(**asdict(Mail("a", "b")))\n1',
  'import asyncio\nasync def one(city):\n    return (await tools.get_weather(city=city))["degrees"]\nreturn await asyncio.gather(*[one(c) for c in ["Oslo", "Rome"]])',
];
for (const code of good) {
  test(`a good script passes and runs: ${code}`, async () => {
    const { status, outputText, warnings = [] } = await run(code);
    expect(status, outputText).toBe('ok');
    expect(warnings).toEqual(code.includes('"degree"]') || code.includes('"rain"]') ? [expect.anything()] : []);
  });
}

test('the report lists every mistake with its place, and that no tool was called', async () => {
  const { outputText, warnings } = await run(
    'tools.get_time()\nweather = tools.get_weather(citty="Oslo")\nreturn weather["degree"]',
  );
  expect(outputText).toBe(`The script was not run: it has 2 mistakes. No tool was called.

tools.get_weather has no argument "citty" [E_SCRIPT_TYPES]

At line 2, column 29:
  1 | tools.get_time()
> 2 | weather = tools.get_weather(citty="Oslo")
  3 | return weather["degree"]

Did you mean "city"?

The value has no property "degree" [E_SCRIPT_TYPES]

At line 3, column 16:
  2 | weather = tools.get_weather(citty="Oslo")
> 3 | return weather["degree"]

Did you mean "degrees"?`);
  expect(warnings?.length).toBe(1);
});

test('a name that nothing defines is doubted, and the script runs', async () => {
  const { status, warnings } = await run('if False: fetch("https://a.test")\n1');
  expect(status).toBe('ok');
  expect(warnings).toMatchObject([{ message: 'fetch is not defined', line: 1, column: 11 }]);
});

test('arguments that an interceptor may change are only doubted', async () => {
  const hooks = new HookManager();
  hooks.intercept(({ args }) => ({ action: 'modify', args: { ...args, city: 'Oslo' } }));
  const fixing = new ToolInvoker({ registry: new Toolbox(officeTools), hooks, artifactStore: createMemoryBlobStore() });
  const { status, warnings, outputText } = await run('tools.get_weather()["degrees"]', { invoker: fixing });
  expect(status, outputText).toBe('ok');
  expect(warnings).toMatchObject([{ message: 'tools.get_weather needs the argument "city"' }]);
});
