import assert from 'node:assert/strict';
import { tokens } from '@ravi/monolith';
import { afterAll, beforeAll, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const hostileTools = `
const tool = (name, execute) => ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute });
export default [
  tool('throws_text', async () => { throw 'plain text'; }),
  tool('throws_null', async () => { throw null; }),
  tool('gives_garbage', async () => ({ contents: 5 })),
  tool('never_answers', () => new Promise(() => {})),
  tool('large', async () => ({ content: [{ type: 'text', text: 'x'.repeat(100_000) }], isError: false })),
];`;

let server: TestServer;
const stored: string[] = [];
beforeAll(async () => {
  server = await startServer({}, { 'tools/hostile.mjs': hostileTools });
  server.monolith.container.resolve(tokens.hooks).observe('artifact', ({ ref }) => void stored.push(ref));
});
afterAll(() => server[Symbol.asyncDispose]());

const quick = {
  approvalTimeoutMs: 300,
  callTimeoutMs: 400,
  totalTimeoutMs: 2_500,
  cpuTimeMs: 1_000,
  memoryLimitBytes: 33_554_432,
};

/** A script, its expected status, and text that its message must contain. */
const scripts: readonly (readonly [string, string, string, string, RegExp])[] = [
  ['a syntax error', 'const a = ;', 'error', 'E_SCRIPT_SYNTAX', /Unexpected token/],
  ['an endless loop', 'for (;;) {}', 'timeout', 'E_LIMIT_CPU', /1000 ms \(cpuTimeMs\)/],
  ['a wait without end', 'await sleep(60_000)', 'timeout', 'E_LIMIT_WALL', /2500 ms \(totalTimeoutMs\)/],
  [
    'a memory bomb',
    'const all = []; for (;;) all.push(new Array(1e6).fill(all.length))',
    'error',
    'E_LIMIT_MEMORY',
    /memoryLimitBytes/,
  ],
  ['a promise that never settles', 'await new Promise(() => {})', 'error', 'E_SCRIPT_DEADLOCK', /awaits a promise/],
  ['a return value of 50 MB', "return 'x'.repeat(50_000_000)", 'error', 'E_LIMIT_RESULT', /maxResultBytes/],
  ['a cyclic value', 'const a = {}; a.self = a; return a', 'error', 'E_RESULT_NOT_JSON', /self/],
  ['a BigInt', 'return { rows: [{ id: 1n }] }', 'error', 'E_RESULT_NOT_JSON', /BigInt at \$\.rows\[0\]\.id/],
  ['a Map', 'return new Map([[1, 2]])', 'error', 'E_RESULT_NOT_JSON', /Object\.fromEntries/],
  ['a tool that never answers', 'await tools.never_answers({})', 'error', 'E_CALL_TIMEOUT', /400 ms \(callTimeoutMs\)/],
  ['a tool that throws text', 'await tools.throws_text({})', 'error', 'E_TOOL_FAILED', /plain text/],
  ['a tool that throws null', 'await tools.throws_null({})', 'error', 'E_TOOL_FAILED', /throws_null/],
  ['a tool that gives garbage', 'await tools.gives_garbage({})', 'error', 'E_TOOL_FAILED', /gives_garbage/],
];

for (const [name, code, status, errorCode, message] of scripts) {
  test(`${name} is reported, and the next script runs`, async () => {
    const { status: http, body } = await server.chain(code, quick);
    assert.equal(http, 200);
    assert.equal(body.status, status, body.outputText);
    assert.equal(body.error.code, errorCode, body.outputText);
    assert.match(body.error.message, message);
    assert.ok(!body.outputText.includes(server.installation.folder), body.outputText);

    assert.equal((await server.chain('return (await tools.echo({ n: 1 })).n')).body.value, 1);
  });
}

test('a script that fails releases its artifacts', async () => {
  const before = stored.length;
  const { body } = await server.chain("await tools.large({}); throw new Error('no')");
  assert.equal(body.error.code, 'E_SCRIPT_FAILED');
  const store = server.monolith.container.resolve(tokens.blobStore);
  const made = stored.slice(before);
  assert.equal(made.length, 1);
  for (const ref of made) assert.equal((await store.stat(ref))?.pins, 0);
});

test('a million console lines are cut at the limit, with a notice', async () => {
  const { body } = await server.chain(
    `for (let line = 0; line < 1e6; line++) console.log('line', line); return 'done'`,
  );
  assert.equal(body.status, 'ok', body.outputText);
  assert.equal(body.value, 'done');
  assert.ok(JSON.stringify(body.logs).length < 500_000);
  assert.match(body.logs.at(-1).text, /maxConsoleBytes|dropped/);
});

test('hostile keys reach a tool as data and pollute nothing', async () => {
  const { body } = await server.chain(`
    const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const answer = await tools.echo.safe(args);
    return { status: answer.status, polluted: String(({}).polluted) };
  `);
  assert.equal(body.status, 'ok', body.outputText);
  assert.equal(body.value.polluted, 'undefined');
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});
