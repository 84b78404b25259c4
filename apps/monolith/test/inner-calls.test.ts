import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { approve, pendingOf, send, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';

/** Declares `safe` and makes one call through its context. The first time it then kills its server. */
const desk = `
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../desk.txt');
const said = (text) => ({ content: [{ type: 'text', text }], isError: false });
const peek = { name: 'peek', description: 'Looks.', risk: 'safe', inputSchema: { type: 'object' }, execute: async () => said('seen') };
const desk = {
  name: 'desk', description: 'Calls.', risk: 'safe', runAfterResponse: true, inputSchema: { type: 'object' },
  async execute({ tool = 'launch', args = { target: 'moon' } }, { run }) {
    const isRepeated = await readFile(file, 'utf8').then(() => true, () => false);
    await appendFile(file, 'called\\n');
    const { text } = await run.tool(tool, args);
    if (!isRepeated) { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); }
    return said(text);
  },
};
export default [peek, desk];`;

const lax = { policy: { maxRiskUnapproved: 'high' as const } };
const files = { 'tools/desk.mjs': desk };

const callsOf = (run: Body): unknown =>
  run.trace.map(({ tool, status, parentId }: Body) => [tool, status, parentId === undefined ? 'script' : 'call']);

test(
  'a script does not repeat a safe call whose server was killed after a call inside it',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation(lax, files);
    using first = startBundled(installation.folder);
    const code = 'return (await tools.desk.safe({})).error?.code ?? "repeated"';
    const { id } = await send(await first.url(), '/v1/runs', { kind: 'chain', code });
    await first.exit;
    using second = startBundled(installation.folder);
    const url = await second.url();
    const run = await untilStatus(url, id, 'completed');
    assert.deepEqual(await installation.launches(), ['launch moon']);
    assert.equal(run.outcome.result?.value, 'E_CALL_UNKNOWN', JSON.stringify(run.outcome));
    assert.deepEqual(callsOf(run), [
      ['desk', 'unknown', 'script'],
      ['launch', 'ok', 'call'],
    ]);
  },
);

test(
  'a repeated request does not repeat a safe call whose server was killed after a call inside it',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation(lax, files);
    const post = async (url: string): Promise<readonly unknown[]> => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' };
      const response = await fetch(`${url}/v1/tools/desk`, { method: 'POST', headers, body: '{"args":{}}' });
      const { error, text } = (await response.json()) as Body;
      return [response.status, error?.code ?? text];
    };
    using first = startBundled(installation.folder);
    await assert.rejects(post(await first.url()));
    await first.exit;
    using second = startBundled(installation.folder);
    const answer = await post(await second.url());
    assert.deepEqual(await installation.launches(), ['launch moon']);
    assert.deepEqual(answer, [409, 'E_CALL_UNKNOWN']);
  },
);

test(
  'a script repeats a safe call whose server was killed after a safe call inside it',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation(lax, files);
    using first = startBundled(installation.folder);
    const code = "return await tools.desk({ tool: 'peek', args: {} })";
    const { id } = await send(await first.url(), '/v1/runs', { kind: 'chain', code });
    await first.exit;
    using second = startBundled(installation.folder);
    const run = await untilStatus(await second.url(), id, 'completed');
    assert.equal(run.outcome.result?.value, 'seen', JSON.stringify(run.outcome));
  },
);

test(
  'a call inside a safe call keeps its request for approval when its server is killed, and runs once',
  { timeout: 90_000 },
  async () => {
    const called = { ...files, 'desk.txt': 'called before, so that it does not kill its server' };
    await using installation = await createInstallation({}, called);
    using first = startBundled(installation.folder);
    const before = await first.url();
    const { id } = await send(before, '/v1/runs', { kind: 'chain', code: 'return await tools.desk({})' });
    const [asked] = await pendingOf(before, id, 1);
    first.signal('SIGKILL');
    await first.exit;
    using second = startBundled(installation.folder);
    const url = await second.url();
    const [asks, ...others] = await pendingOf(url, id, 1);
    assert.deepEqual([asks.id, others], [asked.id, []]);
    await approve(url, asks);
    const run = await untilStatus(url, id, 'completed');
    assert.equal(run.outcome.result?.value, 'launched', JSON.stringify(run.outcome));
    assert.deepEqual(await installation.launches(), ['launch moon']);
  },
);
