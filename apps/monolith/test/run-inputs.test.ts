import assert from 'node:assert/strict';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';

const files = `
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
const at = (name) => join(import.meta.dirname, name);
export const exists = (name) => access(at(name)).then(() => true, () => false);
export const write = (name) => writeFile(at(name), '');
export const waitFor = async (name) => { while (!(await exists(name))) await pause(10); };
`;

/** Calls the tool that its task names, then answers with every text of its user; the task may kill it or hold its answer first. */
const model = `
import { exists, waitFor, write } from './files.mjs';
const usage = { inputTokens: 1, outputTokens: 1 };
async function* stream({ messages }) {
  const done = messages.filter(({ role }) => role === 'assistant').length;
  const texts = messages.filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content).filter(({ type }) => type === 'text').map(({ text }) => text);
  const [tool, then] = texts[0].split(' ');
  if (done === 0 && tool !== 'none') {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name: tool, arguments: {} } };
    yield { type: 'finish', reason: 'tool-use', usage };
    return;
  }
  if (then === 'dies' && !(await exists('died'))) {
    await write('died');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
  if (then === 'waits' && done === 0) { await write('asked'); await waitFor('answer'); }
  yield { type: 'block', block: { type: 'text', text: JSON.stringify(texts.slice(1)) } };
  yield { type: 'finish', reason: 'end', usage };
}
const create = () => ({ id: 'listening', stream });
export default { name: 'listening', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const holdTool = `
import { waitFor, write } from '../files.mjs';
export default {
  name: 'hold', description: 'Waits for a file.', risk: 'safe', idempotent: true, inputSchema: { type: 'object' },
  async execute() { await write('held'); await waitFor('release'); return { content: [{ type: 'text', text: 'released' }], isError: false }; },
};`;

function install(): Promise<TestInstallation> {
  const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };
  return createInstallation(config, { 'files.mjs': files, 'model.mjs': model, 'tools/hold.mjs': holdTool });
}

/** Serves an installation in this process: only a server that is killed needs one of its own. */
async function openHere({ folder: cwd, configPath }: TestInstallation): Promise<AsyncDisposable & { url: string }> {
  await using stack = new AsyncDisposableStack();
  const monolith = stack.use(await openMonolith({ cwd, configPath, env: {}, isServer: true }));
  const { url } = stack.use(await serve(monolith, { port: 0, graceMs: 0 }));
  const opened = stack.move();
  return { url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function untilFile(folder: string, name: string): Promise<void> {
  const exists = (): Promise<boolean> =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );
  while (!(await exists())) await pause(10);
}

async function sendInput(url: string, runId: string, text: string, key?: string): Promise<[number, Body]> {
  const response = await fetch(`${url}/v1/runs/${runId}/input`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: JSON.stringify({ text }),
  });
  return [response.status, await response.json()];
}

test(
  'inputs are read once and in order, before the next request, although the server is killed twice',
  { timeout: 180_000 },
  async () => {
    await using installation = await install();
    const { folder } = installation;
    using first = startBundled(folder);
    const firstUrl = await first.url();
    const runId = await start(firstUrl, 'hold dies');
    await untilFile(folder, 'held');
    const [status, one] = await sendInput(firstUrl, runId, 'one', 'key-1');
    assert.deepEqual([status, one.text], [202, 'one']);
    await sendInput(firstUrl, runId, 'two', 'key-2');
    // Before the run has read them.
    first.signal('SIGKILL');
    await first.exit;

    using second = startBundled(folder);
    const secondUrl = await second.url();
    assert.deepEqual((await sendInput(secondUrl, runId, 'one', 'key-1'))[1], one);
    await sendInput(secondUrl, runId, 'three');
    await writeFile(join(folder, 'release'), '');
    // After the run has read them, in its next request.
    await second.exit;

    await using third = await openHere(installation);
    const { url } = third;
    const ended = await until(url, runId, 'run-end');
    assert.deepEqual([ended.status, ended.text], ['completed', '["one","two","three"]']);
    const { inputs } = await send(url, `/v1/runs/${runId}`);
    assert.deepEqual(
      inputs.map(({ text, isRead }: Body) => [text, isRead]),
      [
        ['one', true],
        ['two', true],
        ['three', true],
      ],
    );
    const [late, refusal] = await sendInput(url, runId, 'late');
    assert.deepEqual([late, refusal.error.code], [409, 'E_RUN_ENDED']);
    // The first request had this key, so its response is known.
    assert.deepEqual(await sendInput(url, runId, 'one', 'key-1'), [202, one]);
  },
);

test(
  'a paused run reads its input when it continues, and an answer that crosses an input is not the last',
  { timeout: 60_000 },
  async () => {
    await using installation = await install();
    const { folder } = installation;
    await using server = await openHere(installation);
    const { url } = server;

    const paused = await start(url, 'launch');
    await untilStatus(url, paused, 'paused');
    assert.equal((await sendInput(url, paused, 'meanwhile'))[0], 202);
    assert.equal((await send(url, `/v1/runs/${paused}`)).inputs[0].isRead, false);
    const [request] = await pendingOf(url, paused, 1);
    await approve(url, request);
    assert.equal((await until(url, paused, 'run-end')).text, '["meanwhile"]');
    assert.deepEqual(await installation.launches(), ['launch nowhere']);

    const answering = await start(url, 'none waits');
    await untilFile(folder, 'asked');
    assert.equal((await sendInput(url, answering, 'and this'))[0], 202);
    await writeFile(join(folder, 'answer'), '');
    const ended = await until(url, answering, 'run-end');
    assert.deepEqual([ended.text, ended.steps], ['["and this"]', 2]);

    const script = await send(url, '/v1/runs', { kind: 'chain', code: 'return await tools.hold({});' });
    const [status, refusal] = await sendInput(url, script.id, 'text');
    assert.deepEqual([status, refusal.error.code], [422, 'E_UNSUPPORTED']);
    const [unknown] = await sendInput(url, 'run_unknown', 'text');
    assert.equal(unknown, 404);
  },
);
