import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startBundled } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Reads a run until it is as wanted. */
async function until(url: string, id: string, isWanted: (run: Body) => boolean): Promise<Body> {
  for (;;) {
    const run = await send(url, `/v1/runs/${id}`);
    if (isWanted(run)) return run;
    await setTimeout(50);
  }
}

const tool = (description: string): string => `
export default {
  name: 'probe', description: '${description}', risk: 'high', inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: 'probed' }], isError: false }),
};`;

test(
  'a run whose tool was reworded waits and says so, and ends once the tool is as before, or the run is cancelled',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation({}, { 'tools/probe.mjs': tool('Probes it.') });
    const { folder } = installation;
    const code = `return await tools.probe({});`;
    using first = startBundled(folder);
    const url = await first.url();
    const [one, other]: readonly Body[] = await Promise.all(
      [1, 2].map(() => send(url, '/v1/runs', { kind: 'chain', code })),
    );
    const asked = [];
    for (const { id } of [one, other]) {
      asked.push((await until(url, id, (run) => run.status === 'paused')).pendingApprovals[0].id);
    }
    first.signal('SIGTERM');
    await first.exit;

    await writeFile(join(folder, 'tools/probe.mjs'), tool('Probes it well.'));
    using second = startBundled(folder);
    const next = await second.url();
    for (const id of asked) await send(next, `/v1/approvals/${id}/decision`, { decision: 'approved' });
    for (const { id } of [one, other]) {
      const waiting = await until(next, id, (run) => run.status === 'blocked');
      assert.equal(waiting.error.code, 'E_RUN_CHANGED');
      assert.match(waiting.error.message, /has changed: the tool probe/);
      assert.deepEqual(waiting.block.needs, [{ kind: 'tool', name: 'probe', state: 'changed' }]);
    }
    assert.equal((await send(next, `/v1/runs/${other.id}/cancel`, {})).status, 'cancelled');
    second.signal('SIGTERM');
    await second.exit;

    await writeFile(join(folder, 'tools/probe.mjs'), tool('Probes it.'));
    using third = startBundled(folder);
    const last = await third.url();
    const ended = await until(last, one.id, (run) => run.status === 'completed');
    assert.equal(ended.error, undefined);
    assert.equal((await send(last, `/v1/runs/${other.id}`)).status, 'cancelled');
  },
);

const model = `
async function* stream({ messages }) {
  const last = messages.at(-1).content[0];
  const block = last.type === 'tool_result'
    ? { type: 'text', text: last.content[0].text }
    : { type: 'tool_use', id: 'call_1', name: 'probe', arguments: {} };
  yield { type: 'block', block };
  yield { type: 'finish', reason: block.type === 'text' ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

test('an agent asks again for a call whose tool was reworded while it waited', { timeout: 90_000 }, async () => {
  const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };
  const files = { 'model.mjs': model, 'tools/probe.mjs': tool('Probes it.') };
  await using installation = await createInstallation(config, files);
  const { folder } = installation;
  using first = startBundled(folder);
  const url = await first.url();
  const { id } = await send(url, '/v1/runs', { kind: 'agent', task: 'go' });
  const paused = await until(url, id, (run) => run.status === 'paused');
  const asked: string = paused.pendingApprovals[0].id;
  first.signal('SIGTERM');
  await first.exit;

  await writeFile(join(folder, 'tools/probe.mjs'), tool('Probes it well.'));
  using second = startBundled(folder);
  const next = await second.url();
  await send(next, `/v1/approvals/${asked}/decision`, { decision: 'approved' });
  const again = await until(
    next,
    id,
    (run) => run.status === 'paused' && run.pendingApprovals.some((each: Body) => each.id !== asked),
  );
  assert.equal(again.pendingApprovals.length, 1);
  const [request] = again.pendingApprovals;
  const { approval } = await send(next, `/v1/approvals/${request.id}`);
  assert.equal(approval.description, 'Probes it well.');
  const old = await send(next, `/v1/approvals/${asked}`);
  assert.equal(old.approval.status, 'withdrawn');
  assert.match(JSON.stringify(old.changes), /definition of the tool has changed/);
  await send(next, `/v1/approvals/${request.id}/decision`, { decision: 'approved' });
  const ended = await until(next, id, (run) => run.status !== 'running' && run.status !== 'paused');
  assert.equal(ended.status, 'completed');
  assert.deepEqual(
    ended.trace.map((call: Body) => [call.tool, call.status]),
    [['probe', 'ok']],
  );
});
