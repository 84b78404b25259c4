import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startBundled } from './support/server-process.ts';

const token = 'the-token-of-grace-0123456789-abcdef';
const config: RaviConfig = {
  approvals: { mode: 'pause' },
  plugins: {
    sandbox: [{ use: '@ravi/sandbox-isolated-vm' }, { use: '@ravi/sandbox-pyodide' }],
    approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
  },
};

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
async function send(url: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

async function ended(url: string, runId: string): Promise<{ readonly value: unknown; readonly outputText: string }> {
  for (;;) {
    const { status, outcome } = await send(url, `/v1/runs/${runId}`);
    if (status !== 'paused' && status !== 'running') return outcome.result;
    await new Promise(setImmediate);
  }
}

const code = `
import asyncio, random, time, uuid

before = [time.time(), random.random(), str(uuid.uuid4())]
first = tools.echo(seen=before)
outcomes = await asyncio.gather(tools.launch(target="moon"), tools.launch(target="sun"), return_exceptions=True)
return [first["seen"] == before, *(str(each) for each in outcomes)]`;

test(
  'a script in Python asks, the server is killed and restarted, a person decides, and the script resumes',
  { timeout: 240_000 },
  async () => {
    await using installation = await createInstallation(config);
    using first = startBundled(installation.folder);
    const paused = await send(await first.url(), '/v1/chains', { code, language: 'python' });
    assert.equal(paused.status, 'paused', paused.outputText);
    first.signal('SIGKILL');
    await first.exit;

    using second = startBundled(installation.folder);
    const url = await second.url();
    const { status, pendingApprovals } = await send(url, `/v1/runs/${paused.runId}`);
    assert.deepEqual([status, pendingApprovals.length], ['paused', 2]);
    assert.deepEqual(await installation.launches(), []);
    for (const { id } of pendingApprovals) {
      const { approval } = await send(url, `/v1/approvals/${id}`);
      const isMoon = approval.args.target === 'moon';
      await send(
        url,
        `/v1/approvals/${id}/decision`,
        isMoon ? { decision: 'approved' } : { decision: 'denied', reason: 'too hot' },
      );
    }
    const { value, outputText } = await ended(url, paused.runId);
    // The values before the kill are the same in both processes, or the script would have diverged.
    assert.deepEqual(value, [true, 'launched', 'The call of launch was denied: too hot'], outputText);
    assert.deepEqual(await installation.launches(), ['launch moon']);
  },
);

test(
  'a server that is killed during a call of a script in Python repeats neither it nor those before',
  { timeout: 240_000 },
  async () => {
    const slow = `
export default {
  name: 'slow', description: 'Never ends.', risk: 'high', inputSchema: { type: 'object' },
  async execute() { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); },
};`;
    const lax = { ...config, policy: { maxRiskUnapproved: 'high' as const } };
    await using installation = await createInstallation(lax, { 'tools/slow.mjs': slow });
    using first = startBundled(installation.folder);
    const script = 'tools.launch(target="moon")\nreturn tools.slow.safe().error.code';
    await assert.rejects(send(await first.url(), '/v1/chains', { code: script, language: 'python' }));
    await first.exit;

    using second = startBundled(installation.folder);
    const url = await second.url();
    const { items } = await send(url, '/v1/runs');
    const { value, outputText } = await ended(url, items[0].id);
    assert.equal(value, 'E_CALL_UNKNOWN', outputText);
    assert.deepEqual(await installation.launches(), ['launch moon']);
  },
);
