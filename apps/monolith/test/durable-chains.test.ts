import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { Answer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';

const token = 'the-token-of-grace-0123456789-abcdef';
const config: RaviConfig = {
  approvals: { mode: 'pause' },
  plugins: {
    stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
    approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
  },
};

async function send(process: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${process}${path}`, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function stop(process: ServerProcess): Promise<void> {
  process.signal('SIGKILL');
  await process.exit;
}

const code = `
  const first = await tools.echo({ at: Date.now(), random: Math.random() });
  const outcomes = await Promise.allSettled([tools.launch({ target: 'moon' }), tools.launch({ target: 'sun' })]);
  return [first.at === Date.now() || first.at < Date.now(), ...outcomes.map(({ status, reason }) => reason?.message ?? status)];
`;

test(
  'a script asks, the server is killed and restarted, an approver decides, and the script resumes',
  { timeout: 90_000 },
  async () => {
    await using installation = await createInstallation(config);
    using first = startBundled(installation.folder);
    const paused = await send(await first.url(), '/v1/chains', { code });
    assert.deepEqual([paused.status, paused.body.status], [200, 'paused']);
    const { runId } = paused.body;
    await stop(first);

    using second = startBundled(installation.folder);
    const url = await second.url();
    const waiting = await send(url, `/v1/runs/${runId}`);
    assert.equal(waiting.body.status, 'paused');
    assert.deepEqual(
      waiting.body.pendingApprovals.map(({ tool }: { tool: string }) => tool),
      ['launch', 'launch'],
    );

    // Resuming does not bypass the question.
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.equal((await send(url, `/v1/runs/${runId}/resume`, {})).body.status, 'paused');
    }
    assert.deepEqual(await installation.launches(), []);

    for (const { id } of waiting.body.pendingApprovals) {
      const { body } = await send(url, `/v1/approvals/${id}`);
      const decision =
        body.approval.args.target === 'moon' ? { decision: 'approved' } : { decision: 'denied', reason: 'too hot' };
      assert.equal((await send(url, `/v1/approvals/${id}/decision`, decision)).status, 200);
    }
    const {
      outcome: { result },
    } = await ended(url, runId);
    assert.deepEqual(result.value, [true, 'fulfilled', 'The call of launch was denied: too hot']);
    assert.deepEqual(await installation.launches(), ['launch moon']);
    assert.deepEqual((await send(url, `/v1/runs/${runId}/resume`, {})).body.value, result.value);
    assert.deepEqual(await installation.launches(), ['launch moon']);
  },
);

test(
  'after a server is killed during a call, the script learns that the outcome is unknown',
  { timeout: 90_000 },
  async () => {
    const slow = `
export default {
  name: 'slow', description: 'Never ends.', risk: 'high', inputSchema: { type: 'object' },
  async execute() { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); },
};`;
    const lax = { ...config, policy: { maxRiskUnapproved: 'high' as const } };
    await using installation = await createInstallation(lax, { 'tools/slow.mjs': slow });
    using first = startBundled(installation.folder);
    const script = `await tools.launch({ target: 'moon' }); return (await tools.slow.safe({})).error.code`;
    const cut = send(await first.url(), '/v1/chains', { code: script });
    await assert.rejects(cut);
    await first.exit;
    const [line] = await installation.launches();
    assert.equal(line, 'launch moon');

    using second = startBundled(installation.folder);
    const url = await second.url();
    const {
      outcome: { result },
    } = await ended(url, await onlyRun(installation.folder));
    assert.equal(result.value, 'E_CALL_UNKNOWN');
    assert.deepEqual(await installation.launches(), ['launch moon']);
  },
);

test('unknown runs are not found', async () => {
  await using installation = await createInstallation(config);
  using process = startBundled(installation.folder);
  const url = await process.url();
  assert.deepEqual((await send(url, '/v1/runs/run-1')).body.error.code, 'E_RUN_NOT_FOUND');
  assert.equal((await send(url, '/v1/runs/run-1/resume', {})).status, 404);
});

async function ended(
  url: string,
  runId: string,
): Promise<{ readonly outcome: { readonly result: { readonly value: unknown } } }> {
  for (;;) {
    const { body } = await send(url, `/v1/runs/${runId}`);
    if (body.status !== 'paused' && body.status !== 'running') return body;
    await new Promise(setImmediate);
  }
}

async function onlyRun(folder: string): Promise<string> {
  const { createSqliteStateStore } = await import('@ravi/state-sqlite');
  await using store = await createSqliteStateStore({ file: `${folder}/data/state.db` });
  const { items } = await store.runs.list({});
  assert.equal(items.length, 1);
  return items[0]!.id;
}
