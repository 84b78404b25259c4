import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { pendingOf, send, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';

type Policy = NonNullable<RaviConfig['policy']>;

const script = (code: string, policy?: Policy): { readonly code: string } => ({
  code,
  ...(policy === undefined ? {} : { policy }),
});
const launch = script(`return (await tools.launch({ target: 'moon' })).content === undefined`);

test('a reload changes the policy for the next call, script and run, and a mistake in it changes nothing', async () => {
  const before: RaviConfig = { tools: ['./tools'], policy: { maxRiskUnapproved: 'high', maxScriptCalls: 2 } };
  await using installation = await createInstallation(before);
  using server = startBundled(installation.folder);
  const url = await server.url();
  const reloadWith = async (policy: Policy): Promise<Body> => {
    await writeFile(installation.configPath, JSON.stringify({ ...before, policy }));
    return (await send(url, '/v1/reload', {})).config;
  };
  const run = async (body: object): Promise<Body> => send(url, '/v1/chains', body);
  const three = script('for (let i = 0; i < 3; i += 1) await tools.echo({}); return 3');

  assert.equal((await run(launch)).status, 'ok');
  assert.equal((await run(three)).error.code, 'E_BUDGET_EXHAUSTED');
  const looser = script('return 1', { maxScriptCalls: 5 });
  assert.match((await run(looser)).error.message, /maxScriptCalls 5 is looser than the server's 2/);

  // This run began under the policy of the start, and keeps its limit.
  const waiting = await send(url, '/v1/runs', { kind: 'chain', code: `await tools.detonate({}); ${three.code}` });
  const [question] = await pendingOf(url, waiting.id, 1);

  const changed = await reloadWith({ maxRiskUnapproved: 'safe', maxScriptCalls: 5 });
  assert.deepEqual(changed.changed.toSorted(), ['policy.maxRiskUnapproved', 'policy.maxScriptCalls']);
  assert.deepEqual([changed.needsRestart, changed.failures], [[], []]);
  assert.equal((await send(url, '/v1/settings')).policy.maxScriptCalls, 5);
  assert.equal((await run(three)).status, 'ok');
  assert.equal((await run(looser)).status, 'ok');
  const asks = await send(url, '/v1/runs', { kind: 'chain', ...launch });
  assert.equal((await pendingOf(url, asks.id, 1)).length, 1);
  await send(url, `/v1/approvals/${question.id}/decision`, { decision: 'approved' });
  const ended = await untilStatus(url, waiting.id, 'failed');
  assert.equal(ended.outcome.error.code, 'E_BUDGET_EXHAUSTED');
  assert.equal((await installation.launches()).length, 2);

  const broken = await reloadWith({ callTimeoutMs: 10_000, totalTimeoutMs: 5_000 });
  assert.match(broken.failures[0].message, /policy\.callTimeoutMs \(10000\) must not exceed policy\.totalTimeoutMs/);
  assert.deepEqual(broken.changed, []);
  assert.equal((await run(three)).status, 'ok');

  // Limits of request bodies follow from this one.
  const size = await reloadWith({ maxRiskUnapproved: 'safe', maxScriptCalls: 5, maxSourceBytes: 10 });
  assert.deepEqual([size.changed, size.needsRestart], [[], ['policy.maxSourceBytes']]);
  assert.equal((await run(three)).status, 'ok');
});
