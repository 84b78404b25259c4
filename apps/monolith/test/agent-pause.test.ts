import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Source of a model that calls every tool that its task names, as `launch moon, echo sun`, and repeats the results. */
const model = `
async function* stream({ messages }) {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  const calls = messages[0].content[0].text.split(', ').map((call) => call.split(' '));
  if (results.length === 0) {
    for (const [name, target] of calls) {
      yield { type: 'block', block: { type: 'tool_use', id: name + '_' + target, name, arguments: { target } } };
    }
  } else {
    const text = results.map(({ toolUseId, content }) => toolUseId + ': ' + content[0]?.text).join(' | ');
    yield { type: 'block', block: { type: 'text', text } };
  }
  const reason = results.length === 0 ? 'tool-use' : 'end';
  yield { type: 'finish', reason, usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Source of a safe tool that leaves a line in the file of the launches, so that a repeated call shows. */
const lookTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'look', description: 'Reads.', risk: 'safe', inputSchema: { type: 'object' },
  async execute({ target }) {
    await appendFile(join(import.meta.dirname, '../launches.txt'), 'look ' + target + '\\n');
    return { content: [{ type: 'text', text: 'seen' }], isError: false };
  },
};`;

const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };
const files = { 'model.mjs': model, 'tools/look.mjs': lookTool };

async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Follows a run across its streams until `event`, `times` times, and returns the data of the last one. */
async function until(url: string, runId: string, event: string, times = 1): Promise<Body> {
  let seen = 0;
  for (let last: string | undefined; ;) {
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const response = await fetch(`${url}/v1/runs/${runId}/events`, { headers });
    assert.equal(response.status, 200);
    for await (const received of readEvents(response)) {
      if (received.event === event && ++seen === times) return JSON.parse(received.data).data;
      last = received.id ?? last;
    }
  }
}

const pendingOf = async (url: string, runId: string): Promise<readonly Body[]> =>
  (await send(url, `/v1/approvals?runId=${runId}&status=pending`)).items;

/** Starts a run, and returns it with the event of its pause. */
async function paused(url: string, task: string): Promise<{ readonly run: Body; readonly event: Body }> {
  const { id } = await send(url, '/v1/runs', { kind: 'agent', task });
  const event = await until(url, id, 'run-paused');
  return { run: await send(url, `/v1/runs/${id}`), event };
}

test(
  'an agent run whose call waits for approval is stored as paused, and runs after a decision on the next server',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation(config, files);
    using first = startBundled(installation.folder);
    const { run, event } = await paused(await first.url(), 'launch moon');
    assert.equal(run.status, 'paused');
    assert.equal(run.owner, undefined);
    assert.equal(event.reason, 'approval');
    const [approval] = event.approvals;
    assert.deepEqual([approval.tool, approval.callId, approval.risk], ['launch', 'launch_moon', 'high']);
    assert.deepEqual(
      run.pendingApprovals.map(({ id }: Body) => id),
      [approval.id],
    );
    const days = (approval.expiresAt - run.createdAt) / 86_400_000;
    assert.ok(days > 6.9 && days < 7.1, `the question is open for ${days} days`);
    first.signal('SIGTERM');
    assert.equal(await first.exit, 0);

    using second = startBundled(installation.folder);
    const url = await second.url();
    assert.equal((await send(url, `/v1/runs/${run.id}`)).status, 'paused');
    await send(url, `/v1/approvals/${approval.id}/decision`, { decision: 'approved' });
    const ended = await until(url, run.id, 'run-end');
    assert.deepEqual([ended.status, ended.text], ['completed', 'launch_moon: launched']);
    assert.deepEqual(await installation.launches(), ['launch moon']);
  },
);

test('two parallel calls are decided one after the other; no finished call of the step runs twice', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const { run, event } = await paused(server.url, 'look sky, launch moon, launch sun');
  assert.deepEqual(
    event.approvals.map(({ callId }: Body) => callId),
    ['launch_moon', 'launch_sun'],
  );
  const [sun, moon] = await pendingOf(server.url, run.id);
  await send(server.url, `/v1/approvals/${moon.id}/decision`, { decision: 'approved' });
  const again = await until(server.url, run.id, 'run-paused', 2);
  assert.deepEqual(
    again.approvals.map(({ id }: Body) => id),
    [sun.id],
  );
  assert.deepEqual(await server.installation.launches(), ['look sky', 'launch moon']);
  await send(server.url, `/v1/approvals/${sun.id}/decision`, { decision: 'denied', reason: 'too hot' });
  const ended = await until(server.url, run.id, 'run-end');
  assert.equal(ended.status, 'completed');
  assert.match(ended.text, /^look_sky: seen \| launch_moon: launched \| launch_sun: .*denied: too hot$/);
  assert.deepEqual(await server.installation.launches(), ['look sky', 'launch moon']);
});

test('an expired request wakes the run, and the model reads that it was not denied', async () => {
  await using server = await startServer({ ...config, approvals: { expiryMs: 1_200 } }, files, { isServer: true });
  const { run } = await paused(server.url, 'launch moon');
  const ended = await until(server.url, run.id, 'run-end');
  assert.match(ended.text, /no decision/i);
  assert.doesNotMatch(ended.text, /launched/);
  assert.deepEqual(await server.installation.launches(), []);
  assert.deepEqual(await pendingOf(server.url, run.id), []);
});

test('a paused run is cancelled: its question is withdrawn, and a late decision is refused', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const { run, event } = await paused(server.url, 'launch moon');
  assert.equal((await send(server.url, `/v1/runs/${run.id}/cancel`, {})).status, 'cancelled');
  const decision = await server.post(`/v1/approvals/${event.approvals[0].id}/decision`, { decision: 'approved' });
  assert.deepEqual([decision.status, decision.body.error?.code], [410, 'E_APPROVAL_WITHDRAWN']);
  assert.deepEqual(await server.installation.launches(), []);
});

test('a run that was started with approvalMode wait stays in memory until the decision', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const { id } = await send(server.url, '/v1/runs', { kind: 'agent', task: 'launch moon', approvalMode: 'wait' });
  const { requestId } = await until(server.url, id, 'approval-requested');
  // Longer than a run waits before it pauses.
  await until(server.url, (await paused(server.url, 'launch sun')).run.id, 'run-paused');
  assert.equal((await send(server.url, `/v1/runs/${id}`)).status, 'running');
  await send(server.url, `/v1/approvals/${requestId}/decision`, { decision: 'approved' });
  assert.equal((await until(server.url, id, 'run-end')).text, 'launch_moon: launched');
});
