import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, test } from 'vitest';
import { showContent } from '../src/render/visible.ts';
import type { Ended } from './support/ravi.ts';
import { runCaptured, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const hostile = '\u001b[31mred\u0007';
const shown = '\\u{1b}[31mred\\u{7}';
const literal = JSON.stringify(hostile);

const tools = `
const tool = (name, execute) => ({ name, description: name + ${literal}, risk: 'safe', inputSchema: { type: 'object' }, execute });
const said = (text) => ({ content: [{ type: 'text', text }], isError: false });
const file = { type: 'document', mediaType: 'text/plain; x="' + ${literal} + '"', source: { kind: 'bytes', bytes: new Uint8Array(9) } };
export default [
  tool('text', async () => said(${literal})),
  tool('fail', async () => { throw new Error(${literal}); }),
  tool('keep', async () => ({ content: [file], isError: false })),
];`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    'tools/hostile.mjs': tools,
    'tools/broken.mjs': `throw new Error(${literal});`,
    'value.ts': `console.log(${literal}); return ${literal};`,
    'keep.ts': 'return await tools.keep({});',
    'fail.ts': 'return await tools.fail({});',
  });
});
afterAll(() => server[Symbol.asyncDispose]());

// A line break is what the terminal is asked for.
function assertHarmless({ output, errors }: Ended, place: string): void {
  assert.doesNotMatch(output + errors, /[^\P{Cc}\n\t]/u, place);
}

test('what scripts and tools say reaches a terminal with its control characters escaped', async () => {
  const value = await server.ravi(['chain', 'run', 'value.ts']);
  assert.equal(value.output, `${shown}\n`);
  assert.ok(value.errors.includes(shown), value.errors);
  assertHarmless(value, 'chain run');
  const commands = [
    ['tools', 'list'],
    ['tools', 'describe', 'text'],
    ['tools', 'call', 'text'],
    ['tools', 'call', 'fail'],
    ['chain', 'run', 'keep.ts'],
    ['chain', 'run', 'fail.ts'],
    ['chain', 'check', 'value.ts'],
    ['artifacts', 'ls'],
    ['doctor'],
  ];
  for (const args of commands) assertHarmless(await server.ravi(args), args.join(' '));
  const { output } = await server.ravi(['runs', 'ls', '--json']);
  for (const { id } of (JSON.parse(output) as { items: { id: string }[] }).items) {
    assertHarmless(await server.ravi(['runs', 'show', id]), 'runs show');
  }
});

test('a command in its own process escapes what it warns of', async () => {
  const here = await runCaptured(['tools', 'list'], { cwd: server.folder, env: {} });
  assert.match(here.errors, /a tool could not be loaded/);
  assertHarmless(here, 'tools list');
});

test('JSON has the value as it is', async () => {
  const { output } = await server.ravi(['chain', 'run', 'value.ts', '--json']);
  assert.equal((JSON.parse(output) as { value: string }).value, hostile);
});

test('content is shown to a terminal with its control characters escaped, and goes elsewhere as it is', async () => {
  const show = async (isTTY: boolean): Promise<string> => {
    let written = '';
    const output = new Writable({
      write(chunk, _encoding, done) {
        written += String(chunk);
        done();
      },
    });
    // Two chunks with half of a character in each.
    const bytes = Buffer.from(`${hostile}é\n`);
    await showContent(Readable.from([bytes.subarray(0, -2), bytes.subarray(-2)]), Object.assign(output, { isTTY }));
    return written;
  };
  assert.equal(await show(true), `${shown}é\n`);
  assert.ok((await show(false)).startsWith(hostile));
});
