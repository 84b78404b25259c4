import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { afterAll, beforeAll, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const config: RaviConfig = {
  policy: { maxRiskUnapproved: 'high' },
  plugins: { sandbox: [{ use: '@ravi/sandbox-isolated-vm' }, { use: '@ravi/sandbox-pyodide' }] },
};
let server: TestServer;

beforeAll(async () => {
  server = await startServer(config);
}, 60_000);
afterAll(() => server[Symbol.asyncDispose]());

async function run(code: string, language = 'python'): Promise<unknown> {
  const { status, body } = await server.post('/v1/chains', { code, language });
  assert.deepEqual([status, body.status], [200, 'ok'], body.outputText);
  return body.value;
}

test('a script in Python chains two tools, in a server without Docker', { timeout: 60_000 }, async () => {
  const code = `
first = tools.echo(city="Oslo", people=[1, 2, 3])
second = tools.launch(target=f"{first['city']}-{sum(first['people'])}")
return {"text": second, "people": len(first["people"])}`;
  assert.deepEqual(await run(code), { text: 'launched', people: 3 });
  assert.deepEqual(await server.installation.launches(), ['launch Oslo-6']);
});

test('the same server runs JavaScript', async () => {
  assert.equal(await run('return (await tools.echo({ a: 1 })).a', 'javascript'), 1);
});

test('tool_chain offers both languages and runs Python', { timeout: 60_000 }, async () => {
  const { body } = await server.post('/v1/tools/tool_chain', {
    args: { language: 'python', code: 'import asyncio\nawait asyncio.gather(*[tools.echo(n=n) for n in range(3)])' },
  });
  assert.deepEqual([body.status, JSON.parse(body.text)], ['ok', [{ n: 0 }, { n: 1 }, { n: 2 }]]);
});

test('a script in Python reaches no file of the host, no network and no process', { timeout: 60_000 }, async () => {
  const code = `
import socket, subprocess
def refused(attempt):
    try:
        attempt()
        return False
    except Exception:
        return True
return [
    refused(lambda: open(${JSON.stringify(import.meta.filename)})),
    refused(lambda: socket.create_connection(("127.0.0.1", ${new URL(server.url).port}))),
    refused(lambda: subprocess.run(["id"])),
]`;
  assert.deepEqual(await run(code), [true, true, true]);
});

test('mistakes stop a script in Python before it runs, each with its line, as in JavaScript', async () => {
  const before = await server.installation.launches();
  const textOf = async (code: string, language: string): Promise<string> => {
    const { body } = await server.post('/v1/chains', { code, language });
    assert.deepEqual([body.status, body.toolCalls], ['error', 0], body.outputText);
    return body.outputText;
  };
  const python = await textOf(
    'tools.launch(target="moon")\ntools.lunch(target="sun")\ntools.launch(target=5)',
    'python',
  );
  const script = await textOf(
    'await tools.launch({ target: "moon" });\nawait tools.lunch({ target: "sun" });\nawait tools.launch({ target: 5 });',
    'javascript',
  );
  for (const text of [python, script]) {
    assert.match(text, /lunch[^]*At line 2[^]*Did you mean tools\.launch\(args\)/);
    assert.match(text, /At line 3/);
  }
  assert.match(await textOf('tools.launch(target="moon")\nif True\n  pass', 'python'), /line 2/);
  assert.deepEqual(await server.installation.launches(), before);
});

test.each(['js', 'pyodide', 'pyodide.ffi', 'pyodide_js', 'micropip'])(
  'a script in Python cannot import %s',
  async (name) => {
    const code = `import importlib\ntry:\n    importlib.import_module("${name}")\n    return "imported"\nexcept ImportError:\n    return "refused"`;
    assert.equal(await run(code), 'refused');
  },
);

test('JavaScript that a script in Python reaches past its imports has no way to Node and ends with its limits', async () => {
  const reach = `import sys
finder = [each for each in sys.meta_path if type(each).__name__ == "JsFinder"][0]
function = finder.jsproxies["pyodide_js"].FS.constructor.constructor
`;
  const found = await run(`${reach}return function("""
    const makers = Object.getOwnPropertyNames(globalThis).map((name) => globalThis[name])
      .filter((value) => typeof value === 'function').map((value) => value.constructor.constructor);
    const seen = makers.map((make) => make('return [typeof process, typeof require, typeof fetch].join()')());
    return [...new Set(seen)].join(' | ');
  """)()`);
  assert.equal(found, 'undefined,undefined,undefined');
  const code = `${reach}function("for (;;);")()`;
  const { body } = await server.post('/v1/chains', { code, language: 'python', policy: { totalTimeoutMs: 3_000 } });
  assert.match(body.error.code, /^E_LIMIT_/);
});
