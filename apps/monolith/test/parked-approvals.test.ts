import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Source of a model that makes the call in its task, such as `launch {"target":"moon"}`, and then repeats the result. */
const model = `
async function* stream({ messages }) {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  const [, name, args] = /^(\\w+) (.*)$/.exec(messages[0].content[0].text);
  if (results.length === 0) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name, arguments: JSON.parse(args) } };
  } else {
    yield { type: 'block', block: { type: 'text', text: results[0].content[0]?.text } };
  }
  const reason = results.length === 0 ? 'tool-use' : 'end';
  yield { type: 'finish', reason, usage: { inputTokens: 1, outputTokens: 1 } };
}
export const provider = { id: 'calling', stream };
const create = () => provider;
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const agents = JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../packages/agents/src/index.ts')).href);

/** Source of a tool that is a sub-agent. */
const helper = `
import { createAgentTool, ReActAgent } from ${agents};
import launchTools from './launch.mjs';
import { provider as model } from '../model.mjs';
export default createAgentTool(new ReActAgent({ name: 'helper', model, tools: [...launchTools] }));
`;

const threeDaysMs = 259_200_000;

/** Source of a module that sets the clock of a process to three days later. */
const laterClock = `const now = Date.now; Date.now = () => now() + ${threeDaysMs};`;

const plugins = { modelProvider: [{ use: './model.mjs' }] };
const files = { 'model.mjs': model, 'later.mjs': laterClock };
const withHelper = { ...files, 'tools/helper.mjs': helper };
// Expired questions are found by a poll, twice within this time.
const runs = { leaseMs: 3_000 };
const parking = { plugins, runs, approvals: { expiryMs: 600, onExpiry: 'park' } } as const;

const launch = 'launch {"target":"moon"}';
const code = "return tools.launch({ target: 'moon' })";
const works = {
  'an agent': { kind: 'agent', task: launch },
  'a script': { kind: 'chain', code },
} as const;
const nested = {
  'a script of an agent': { kind: 'agent', task: `tool_chain ${JSON.stringify({ code })}` },
  'a sub-agent': { kind: 'agent', task: `helper ${JSON.stringify({ task: launch })}` },
} as const;

async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Waits until the approval of the only run has a status, and returns the event. */
async function changed(url: string, status: string): Promise<Body> {
  const response = await fetch(`${url}/v1/approvals/events?after=0`);
  for await (const { data } of readEvents(response)) {
    const event = data === '' ? {} : JSON.parse(data);
    if (event.change?.to === status) return event;
  }
  return assert.fail(`no approval became ${status}`);
}

/** Waits for an event of a run, and returns its data. */
async function until(url: string, runId: string, wanted: string): Promise<Body> {
  for (let last: string | undefined; ;) {
    const headers = last === undefined ? {} : { 'last-event-id': last };
    for await (const { event, data, id } of readEvents(await fetch(`${url}/v1/runs/${runId}/events`, { headers }))) {
      if (event === wanted) return JSON.parse(data).data;
      last = id ?? last;
    }
  }
}

for (const [name, work] of Object.entries({ ...works, ...nested })) {
  test(
    `a question of ${name} is parked after its time, for days and restarts, until a person decides`,
    { timeout: 90_000 },
    async () => {
      await using installation = await createInstallation(parking, withHelper);
      using first = startBundled(installation.folder);
      const before = await first.url();
      const { id } = await send(before, '/v1/runs', work);
      const { approval } = await changed(before, 'parked');
      assert.deepEqual([approval.status, approval.onExpiry], ['parked', 'park']);
      first.signal('SIGKILL');
      await first.exit;

      const preload = pathToFileURL(join(installation.folder, 'later.mjs')).href;
      using second = startBundled(installation.folder, { preloads: [preload] });
      const url = await second.url();
      const run = await send(url, `/v1/runs/${id}`);
      assert.equal(run.status, 'paused');
      assert.deepEqual(
        run.pendingApprovals.map(({ id: request, status }: Body) => [request, status]),
        [[approval.id, 'parked']],
      );
      const { items, now } = await send(url, '/v1/approvals?status=undecided');
      assert.deepEqual(
        items.map(({ id: request, status }: Body) => [request, status]),
        [[approval.id, 'parked']],
      );
      assert.ok(now - approval.expiresAt > threeDaysMs - 60_000);
      assert.deepEqual(await installation.launches(), []);

      const decided = await send(url, `/v1/approvals/${approval.id}/decision`, { decision: 'approved' });
      assert.equal(decided.approval.status, 'approved');
      assert.match((await until(url, id, 'run-end')).status, /^(completed|ok)$/);
      assert.deepEqual(await installation.launches(), ['launch moon']);
      const { changes } = await send(url, `/v1/approvals/${approval.id}`);
      assert.deepEqual(
        changes.map(({ to }: Body) => to),
        ['pending', 'parked', 'approved', 'consumed'],
      );
    },
  );

  test(`a parked question of ${name} is withdrawn with its run, and a decision on it is refused`, async () => {
    // The module of the sub-agent and the server share the classes of agents in a process of their own.
    await using installation = await createInstallation(parking, withHelper);
    using server = startBundled(installation.folder);
    const url = await server.url();
    const { id } = await send(url, '/v1/runs', work);
    const { approval } = await changed(url, 'parked');
    await until(url, id, 'run-paused');
    assert.equal((await send(url, `/v1/runs/${id}/cancel`, {})).status, 'cancelled');
    await changed(url, 'withdrawn');
    const late = await send(url, `/v1/approvals/${approval.id}/decision`, { decision: 'approved' });
    assert.equal(late.error?.code, 'E_APPROVAL_WITHDRAWN');
    assert.deepEqual(await installation.launches(), []);
  });
}

for (const [name, work] of Object.entries(works)) {
  test(`a question of ${name} that waits in memory is parked too, and its run pauses`, async () => {
    const config = { ...parking, policy: { approvalTimeoutMs: 600 } };
    await using server = await startServer(config, files, { isServer: true });
    const { id } = await send(server.url, '/v1/runs', { ...work, approvalMode: 'wait' });
    const { approval } = await changed(server.url, 'parked');
    await until(server.url, id, 'run-paused');
    await send(server.url, `/v1/approvals/${approval.id}/decision`, { decision: 'denied', reason: 'not today' });
    await until(server.url, id, 'run-end');
    const { trace } = await send(server.url, `/v1/runs/${id}`);
    assert.deepEqual([trace[0].status, trace[0].errorCode], ['denied', 'E_APPROVAL_DENIED']);
    assert.deepEqual(await server.installation.launches(), []);
  });

  test(`the policy deny ends a question of ${name} with a code of its own, and refuses a late decision`, async () => {
    await using server = await startServer({ plugins, approvals: { expiryMs: 600 } }, files, { isServer: true });
    const { id } = await send(server.url, '/v1/runs', work);
    const { approval } = await changed(server.url, 'expired');
    await until(server.url, id, 'run-end');
    const { trace } = await send(server.url, `/v1/runs/${id}`);
    assert.deepEqual([trace[0].status, trace[0].errorCode], ['denied', 'E_APPROVAL_EXPIRED']);
    const late = await server.post(`/v1/approvals/${approval.id}/decision`, { decision: 'approved' });
    assert.deepEqual([late.status, late.body.error?.code], [410, 'E_APPROVAL_EXPIRED']);
    assert.deepEqual(await server.installation.launches(), []);
  });
}

test('a script whose client waits is paused when its question is parked', async () => {
  const config = { ...parking, policy: { approvalTimeoutMs: 600 } };
  await using server = await startServer(config, files, { isServer: true });
  const { status, runId } = await send(server.url, '/v1/chains', { code });
  assert.equal(status, 'paused');
  const { approval } = await changed(server.url, 'parked');
  await send(server.url, `/v1/approvals/${approval.id}/decision`, { decision: 'approved' });
  assert.equal((await until(server.url, runId, 'run-end')).status, 'ok');
  assert.deepEqual(await server.installation.launches(), ['launch moon']);
});

test('a call without a run is denied at its time with either policy', async () => {
  const config = { ...parking, policy: { approvalTimeoutMs: 600 } };
  await using server = await startServer(config, files, { isServer: true });
  const result = await send(server.url, '/v1/tools/launch', { args: { target: 'moon' } });
  assert.deepEqual([result.status, result.error?.code], ['denied', 'E_APPROVAL_EXPIRED']);
  assert.match(result.text, /not denied/);
  assert.deepEqual(await server.installation.launches(), []);
});

for (const [name, work] of Object.entries({ ...works, ...nested })) {
  test(
    `a question of ${name} that stays parked for too long expires, and its run ends`,
    { timeout: 60_000 },
    async () => {
      const approvals = { ...parking.approvals, maxParkedDays: 2 / 86_400 };
      await using installation = await createInstallation({ ...parking, approvals }, withHelper);
      using server = startBundled(installation.folder);
      const url = await server.url();
      const { id } = await send(url, '/v1/runs', work);
      assert.equal((await changed(url, 'parked')).approval.status, 'parked');
      await changed(url, 'expired');
      const end = await until(url, id, 'run-end');
      assert.notEqual(end.status, 'cancelled');
      assert.deepEqual(await installation.launches(), []);
      assert.match(JSON.stringify(await send(url, `/v1/runs/${id}`)), /E_APPROVAL_EXPIRED/);
    },
  );
}
