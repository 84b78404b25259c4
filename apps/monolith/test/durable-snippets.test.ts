import assert from 'node:assert/strict';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { saveSnippet } from './support/snippets.ts';
import { storeCases } from './support/state-stores.ts';
import type { StoreCase } from './support/state-stores.ts';
import { installSubAgents, task } from './support/sub-agents.ts';

const limits = { timeout: 90_000 };

/** An effect, a call that waits for approval, and another effect. */
const mission = {
  description: 'Launches, detonates and launches again.',
  code: `
    const { target } = input;
    const started = Date.now();
    await tools.launch({ target });
    await tools.detonate({ target });
    await tools.launch({ target: target + '-again' });
    return [target, Date.now() >= started];`,
  inputSchema: { type: 'object', properties: { target: { type: 'string' } }, required: ['target'] },
  input: { target: 'mars' },
};

const install = (store: StoreCase): Promise<TestInstallation> =>
  installSubAgents({ plugins: store.plugin(), approvals: { mode: 'pause' } });

/** Returns what has been launched, except by the run that saved the snippet. */
async function launchesOf(installation: TestInstallation): Promise<readonly string[]> {
  return (await installation.launches()).filter((line) => !line.includes('mars'));
}

const callsIn = ({ trace }: Body): unknown => trace.map(({ tool, status }: Body) => [tool, status]);
const allCalls = [
  ['launch', 'ok'],
  ['detonate', 'ok'],
  ['launch', 'ok'],
];

for (const store of storeCases) {
  for (const ending of ['SIGKILL', 'SIGTERM'] as const) {
    store.test(
      `a snippet that waits for approval continues on the next server after ${ending}, and repeats no effect (${store.name})`,
      limits,
      async () => {
        await using installation = await install(store);
        using first = startBundled(installation.folder);
        const url = await first.url();
        await saveSnippet(url, 'mission', mission);
        const paused = await send(url, '/v1/snippets/mission/run', { input: { target: 'moon' } });
        assert.equal(paused.status, 'paused', JSON.stringify(paused));
        const { runId } = paused;
        const [asked] = await pendingOf(url, runId, 1);
        assert.deepEqual(await launchesOf(installation), ['launch moon']);
        first.signal(ending);
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.equal((await send(next, `/v1/runs/${runId}`)).status, 'paused');
        await approve(next, asked);
        assert.equal((await until(next, runId, 'run-end')).status, 'ok');
        assert.deepEqual((await send(next, `/v1/runs/${runId}/resume`, {})).value, ['moon', true]);
        assert.deepEqual(callsIn(await send(next, `/v1/runs/${runId}`)), allCalls);
        assert.deepEqual(await launchesOf(installation), ['launch moon', 'detonate moon', 'launch moon-again']);
      },
    );

    store.test(
      `a snippet of an agent that waits for approval continues on the next server after ${ending} (${store.name})`,
      limits,
      async () => {
        await using installation = await install(store);
        using first = startBundled(installation.folder);
        const url = await first.url();
        await saveSnippet(url, 'mission', mission);
        const runId = await start(url, task([['mission', { target: 'moon' }]], [['launch', { target: 'sun' }]]));
        const [asked] = await pendingOf(url, runId, 1);
        await untilStatus(url, runId, 'paused');
        assert.deepEqual(await launchesOf(installation), ['launch moon']);
        first.signal(ending);
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.equal((await send(next, `/v1/runs/${runId}`)).status, 'paused');
        await approve(next, asked);
        const { status, text } = await until(next, runId, 'run-end');
        assert.equal(status, 'completed');
        assert.match(text, /moon.*true[\s\S]* \| launched$/);
        const run = await send(next, `/v1/runs/${runId}`);
        const [child, ...others] = run.children;
        assert.deepEqual(
          [child.kind, child.status, child.callId, others.length],
          ['chain', 'completed', 'call_0_0', 0],
        );
        const script = await send(next, `/v1/runs/${child.id}`);
        assert.deepEqual([script.script, callsIn(script)], [mission.code, allCalls]);
        assert.deepEqual(await launchesOf(installation), [
          'launch moon',
          'detonate moon',
          'launch moon-again',
          'launch sun',
        ]);
      },
    );
  }
}
