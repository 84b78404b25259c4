import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'vitest';
import { deliver, installDeployments, startedOf } from './support/completions.ts';
import type { Started } from './support/completions.ts';
import { send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, task } from './support/sub-agents.ts';

const agents = { pilot: { description: 'Deploys.', model: 'calling', tools: { allow: ['deploy'] } } };
const agent = { delegates: ['pilot'] };

for (const store of storeCases) {
  store.test(
    `results reach an agent, its script and its delegate over kill -9, and no tool runs twice (${store.name})`,
    { timeout: 120_000 },
    async () => {
      await using installation = await installDeployments({ agent, agents, plugins: store.plugin() });
      using first = startBundled(installation.folder);
      const url = await first.url();
      const code = `return await tools.deploy({ to: 'script' });`;
      const runId = await start(
        url,
        task([
          ['deploy', { to: 'agent' }],
          ['tool_chain', { code }],
          delegate('pilot', [['deploy', { to: 'delegate' }]]),
        ]),
      );
      const started = await startedOf(installation, 3);
      const paused = await untilStatus(url, runId, 'paused');
      assert.deepEqual(
        paused.completions.map(({ tool }: Body) => tool),
        ['deploy', 'deploy', 'deploy'],
      );
      assert.deepEqual(paused.pendingApprovals, []);
      assert.deepEqual((await send(url, '/v1/approvals')).items, []);
      // The second result comes while no process runs the call, the third while no process runs at all.
      using other = startBundled(installation.folder);
      const otherUrl = await other.url();
      const [one, two, three] = started.map(({ token }) => token) as [string, string, string];
      assert.equal((await deliver(otherUrl, one, { result: { version: '1' } }))[0], 204);
      first.signal('SIGKILL');
      await first.exit;
      assert.equal((await deliver(otherUrl, two, { result: { version: '2' } }))[0], 204);
      other.signal('SIGKILL');
      await other.exit;

      using last = startBundled(installation.folder);
      const lastUrl = await last.url();
      assert.equal((await deliver(lastUrl, three, { error: { message: 'no room', code: 'FULL' } }))[0], 204);
      const ended = await until(lastUrl, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      for (const text of ['"version":"1"', '"version":"2"', 'no room'])
        assert.ok(ended.text.includes(text), ended.text);
      assert.equal((await startedOf(installation, 3)).length, 3);
      assert.deepEqual((await send(lastUrl, `/v1/runs/${runId}`)).completions, []);
    },
  );
}

test('a result reaches the call whose tool the operator has disabled while it waits', async () => {
  await using installation = await installDeployments();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const code = `return await tools.deploy({ to: 'script' });`;
  const { id } = await send(url, '/v1/runs', { kind: 'chain', code });
  const [{ token }] = (await startedOf(installation, 1)) as readonly [Started];
  await untilStatus(url, id, 'paused');
  const config = JSON.parse(await readFile(installation.configPath, 'utf8'));
  await writeFile(installation.configPath, JSON.stringify({ ...config, toolAccess: { disabled: ['deploy'] } }));
  assert.deepEqual((await send(url, '/v1/reload', {})).config.changed, ['toolAccess.disabled']);
  assert.equal((await deliver(url, token, { result: { version: '1' } }))[0], 204);
  const ended = await until(url, id, 'run-end');
  assert.equal(ended.status, 'ok', JSON.stringify(ended));
  assert.deepEqual((await send(url, `/v1/runs/${id}`)).outcome.result.value, { version: '1' });
  const refused = await send(url, '/v1/chains', { code });
  assert.match(JSON.stringify(refused), /There is no tool named/);
  assert.equal((await startedOf(installation, 1)).length, 1);
});
