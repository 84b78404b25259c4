import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import type { Answer } from './support/server.ts';
import { startProcess } from './support/server-process.ts';

/** Source of tools that forget an await, throw from a timer, and wait without end. */
const carelessTools = `
const tool = (name, execute) => ({
  name, description: 'Does ' + name + '.', risk: 'safe', inputSchema: { type: 'object' },
  async execute(args) { return { content: [{ type: 'text', text: String(await execute(args)) }], isError: false }; },
});
export default [
  tool('forget', () => { Promise.reject(new Error('late rejection')); return 'forgot'; }),
  tool('explode', ({ times = 1 }) => {
    for (let time = 0; time < times; time++) setTimeout(() => { throw new Error('late throw ' + time); }, 5);
    return 'lit';
  }),
  tool('hang', () => new Promise(() => console.log('hanging'))),
  tool('short', () => new Promise((resolve) => setTimeout(resolve, 50, 'answered'))),
];`;

function createCareless(): Promise<TestInstallation> {
  return createInstallation({}, { 'tools/careless.mjs': carelessTools });
}

async function call(url: string, tool: string, args: object = {}): Promise<Answer> {
  const response = await fetch(`${url}/v1/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': `request-${tool}` },
    body: JSON.stringify({ args }),
  });
  return { status: response.status, body: await response.json() };
}

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly requestId?: string;
  readonly error?: { readonly message: string; readonly stack: string };
}

/** Returns the log lines of level `error`. Every line must be JSON. */
function errorsIn(log: string): readonly LogLine[] {
  const lines = log.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LogLine).filter(({ level }) => level === 'error');
}

test('an unhandled rejection of a tool is one log line, and the server and its runs continue', async () => {
  await using installation = await createCareless();
  using server = startProcess(installation.folder, ['--port', '0']);
  const url = await server.url();
  const [script, forgot] = await Promise.all([call(url, 'short'), call(url, 'forget')]);
  assert.deepEqual([script.body.text, forgot.body.text], ['answered', 'forgot']);
  assert.equal((await call(url, 'short')).body.text, 'answered');
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  const [error, ...others] = errorsIn(await server.errors);
  assert.deepEqual(others, []);
  assert.match(error?.message ?? '', /await .*is missing/);
  assert.equal(error?.requestId, 'request-forget');
  assert.equal(error?.error?.message, 'late rejection');
  assert.match(error?.error?.stack ?? '', /tools\/careless\.mjs/);
});

test('an uncaught exception shuts the server down with exit code 1, and the next server resumes its runs', async () => {
  await using installation = await createCareless();
  using server = startProcess(installation.folder, ['--port', '0']);
  const url = await server.url();
  const started = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'chain', code: 'await tools.hang(); return "resumed";' }),
  });
  const { id } = (await started.json()) as { readonly id: string };
  assert.equal(await server.nextLine(), 'hanging');
  const hanging = call(url, 'hang');
  assert.equal(await server.nextLine(), 'hanging');
  await call(url, 'explode');
  assert.equal((await hanging).status, 503);
  assert.equal(await server.exit, 1);
  const error = errorsIn(await server.errors).find(({ message }) =>
    /^uncaught exception, shutting down$/.test(message),
  );
  assert.equal(error?.error?.message, 'late throw 0');
  assert.equal(error?.requestId, 'request-explode');

  using next = startProcess(installation.folder, ['--port', '0']);
  const nextUrl = await next.url();
  assert.equal(await next.nextLine(), 'hanging');
  const run = (await (await fetch(`${nextUrl}/v1/runs/${id}`)).json()) as { readonly status: string };
  assert.equal(run.status, 'running');
});

test('a second exception ends the server at once', async () => {
  await using installation = await createCareless();
  using server = startProcess(installation.folder, ['--port', '0']);
  const url = await server.url();
  const hanging = call(url, 'hang').then(
    () => 'answered',
    () => 'cut off',
  );
  assert.equal(await server.nextLine(), 'hanging');
  await call(url, 'explode', { times: 2 }).catch(() => {});
  assert.equal(await hanging, 'cut off');
  assert.equal(await server.exit, 1);
  assert.deepEqual(
    errorsIn(await server.errors).map(({ error }) => error?.message),
    ['late throw 0', 'late throw 1'],
  );
});
