import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import type { JsonObject } from '@ravi/kernel';
import { afterAll, expect, test } from 'vitest';
import { runChain } from '../../src/index.ts';
import { createHarness, freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());
const { invoker } = createHarness(sandbox, [freeTool('echo', (args) => args)]);

function run(code: string, input?: JsonObject) {
  return runChain({ code, invoker, sandbox, ...(input === undefined ? {} : { input }) });
}

test.each<JsonObject>([
  {},
  { text: 'quotes " \' ` ${x} \\ \n \r \u2028 \u2029 </script> \ud800' },
  { deep: [{ list: [1, -0.5, 1e300, null, true] }] },
  JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as JsonObject,
])('a script finds %j in input as it was given', async (input) => {
  expect((await run('return JSON.stringify(input)', input)).value).toBe(JSON.stringify(input));
});

test('input is defined in TypeScript, in a function expression and in a default export', async () => {
  for (const code of [
    'const { a }: { a: number } = input; return a',
    'async () => input.a',
    'export default input.a',
    'enum Kind { One = 1 }\nreturn Kind.One * input.a',
  ]) {
    expect((await run(code, { a: 3 })).value, code).toBe(3);
  }
});

test('positions in errors are those of the script, on its first line and after it', async () => {
  expect((await run('  null.x', { a: 1 })).error).toMatchObject({ line: 1, column: 8 });
  expect((await run('const a = 1;\n  null.x', { a: 1 })).error).toMatchObject({ line: 2, column: 8 });
});

test('the name input is not defined without input', async () => {
  expect((await run('return typeof input')).value).toBe('undefined');
});
