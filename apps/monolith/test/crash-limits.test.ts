import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startBundled } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Source of a model that calls the tool that the task names, once, and repeats its result. */
const model = `
async function* stream({ messages }) {
  const blocks = messages.flatMap(({ content }) => content);
  const result = blocks.find(({ type }) => type === 'tool_result');
  const { text } = blocks.find(({ type }) => type === 'text');
  if (result === undefined) yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name: text, arguments: {} } };
  else yield { type: 'block', block: { type: 'text', text: result.content[0].text } };
  yield { type: 'finish', reason: result === undefined ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Source of safe tools: two that end their process, and one that waits. */
const tools = `
import { access } from 'node:fs/promises';
import { join } from 'node:path';
const tool = (name, execute) => ({ name, description: 'A tool.', risk: 'safe', inputSchema: { type: 'object' }, execute });
const exists = (name) => access(join(import.meta.dirname, '..', name)).then(() => true, () => false);
const waitFor = async (name, signal) => {
  while (!(await exists(name))) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const done = { content: [{ type: 'text', text: 'done' }], isError: false };
export default [
  tool('destroy', async (_args, { signal }) => {
    await waitFor('armed', signal);
    process.kill(process.pid, 'SIGKILL');
  }),
  tool('leave', async (_args, { signal }) => {
    await waitFor('armed', signal);
    process.exit(1);
  }),
  tool('wait_long', async (_args, { signal }) => {
    await waitFor('go', signal);
    return done;
  }),
];`;

async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Runs servers one after the other in a folder and returns the first for which `isOver` is true. */
async function untilOver(
  folder: string,
  isOver: (url: string) => Promise<boolean>,
): Promise<Disposable & { url: string }> {
  for (;;) {
    const server = startBundled(folder);
    let hasEnded = false;
    void server.exit.then(() => (hasEnded = true));
    const url = await server.url();
    while (!hasEnded) {
      // The server may end during the request.
      if (await isOver(url).catch(() => false)) return { url, [Symbol.dispose]: () => server[Symbol.dispose]() };
      await pause(50);
    }
  }
}

const chain = (tool: string): object => ({ kind: 'chain', code: `return await tools.${tool}({})` });
const agent = (tool: string): object => ({ kind: 'agent', task: tool });

test('runs that end their process are given up, and those next to them complete', { timeout: 280_000 }, async () => {
  await using installation = await createInstallation(
    { plugins: { modelProvider: [{ use: './model.mjs' }] }, runs: { maxFruitlessCrashes: 1 } },
    { 'model.mjs': model, 'tools/tools.mjs': tools },
  );
  const { folder } = installation;
  const innocent: string[] = [];
  const guilty: string[] = [];
  {
    using first = startBundled(folder);
    const url = await first.url();
    const start = async (run: object): Promise<string> => (await send(url, '/v1/runs', run)).id;
    innocent.push(await start(chain('wait_long')), await start(agent('wait_long')));
    guilty.push(await start(chain('destroy')), await start(agent('leave')));
    await writeFile(join(folder, 'armed'), '');
    await first.exit;
  }
  using last = await untilOver(folder, async (url) => {
    const statuses = await Promise.all(guilty.map(async (id) => (await send(url, `/v1/runs/${id}`)).status));
    return statuses.every((status) => status === 'failed');
  });
  for (const id of guilty) {
    const { error, attempts } = await send(last.url, `/v1/runs/${id}`);
    assert.equal(error.code, 'E_RUN_LOST');
    assert.match(error.message, /crashed 2 times in a row without progress.*\(runs\.maxFruitlessCrashes is 1\)/);
    assert.ok(attempts.length >= 5, JSON.stringify(attempts));
  }
  await writeFile(join(folder, 'go'), '');
  for (const id of innocent) {
    let run = await send(last.url, `/v1/runs/${id}`);
    for (; run.status === 'running'; run = await send(last.url, `/v1/runs/${id}`)) await pause(50);
    assert.equal(run.status, 'completed', JSON.stringify(run));
  }
});

test(
  'a client that repeats a script with its key does not keep it from being given up',
  { timeout: 280_000 },
  async () => {
    await using installation = await createInstallation(
      { runs: { maxFruitlessCrashes: 1 } },
      { 'tools/tools.mjs': tools, armed: '' },
    );
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'order-17' };
    const body = JSON.stringify({ code: 'return await tools.destroy({})' });
    const bodies: Body[] = [];
    using last = await untilOver(installation.folder, async (url) => {
      const response = await fetch(`${url}/v1/chains`, { method: 'POST', headers, body });
      bodies.push(await response.json());
      return true;
    });
    const { items } = await send(last.url, '/v1/runs');
    const { attempts } = await send(last.url, `/v1/runs/${items[0].id}`);
    assert.deepEqual([items.length, bodies.length, bodies[0].error.code], [1, 1, 'E_RUN_LOST']);
    assert.ok(attempts.length >= 5, JSON.stringify(attempts));
  },
);

test('a client that resumes a script does not keep it from being given up', { timeout: 280_000 }, async () => {
  await using installation = await createInstallation(
    { runs: { maxFruitlessCrashes: 1 } },
    { 'tools/tools.mjs': tools },
  );
  const { folder } = installation;
  let runId = '';
  {
    using first = startBundled(folder);
    runId = (await send(await first.url(), '/v1/runs', chain('destroy'))).id;
    await writeFile(join(folder, 'armed'), '');
    await first.exit;
  }
  const bodies: Body[] = [];
  using last = await untilOver(folder, async (url) => {
    bodies.push(await send(url, `/v1/runs/${runId}/resume`, {}));
    return true;
  });
  const { status, error, attempts } = await send(last.url, `/v1/runs/${runId}`);
  assert.deepEqual([status, error.code, bodies.length], ['failed', 'E_RUN_LOST', 1], JSON.stringify(bodies));
  assert.ok(attempts.length >= 5, JSON.stringify(attempts));
});
