import assert from 'node:assert/strict';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

for (const store of storeCases) {
  store.test(
    `a sub-agent that works as a job continues on the next server, and its question pauses its caller (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      const steps = [[['launch', { target: 'moon' }]], [['crash', {}]], [['detonate', { target: 'mine' }]]] as const;
      using first = startBundled(installation.folder);
      const runId = await start(await first.url(), task([delegate('courier', ...steps)]));
      await first.exit;

      using second = startBundled(installation.folder);
      const url = await second.url();
      const [asked] = await pendingOf(url, runId, 1);
      assert.equal(asked.agent, 'courier');
      await untilStatus(url, runId, 'paused');
      await approve(url, asked);
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.deepEqual(await installation.launches(), ['launch moon', 'crash', 'detonate mine']);
      const { children, sessionId } = await send(url, `/v1/runs/${runId}`);
      assert.deepEqual([children.length, children[0].status], [1, 'completed']);
      const { items } = await send(url, `/v1/sessions/${sessionId}/history`);
      assert.match(JSON.stringify(items), /The job job_[\w-]+ of courier .* is completed/);
    },
  );

  store.test(
    `a job that is a sub-agent is cancelled with its question; that of another sub-agent with the same call stays (${store.name})`,
    {
      timeout: 90_000,
    },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      using server = startBundled(installation.folder);
      const url = await server.url();
      const work = (agent: string): Call => delegate(agent, [['detonate', { target: agent }]]);
      const runId = await start(url, task([work('courier'), work('helper')]));
      const asked = await pendingOf(url, runId, 2);
      const [ofJob, other] = asked.toSorted((left) => (left.agent === 'courier' ? -1 : 1));
      assert.deepEqual([ofJob.agent, other.agent, ofJob.callId], ['courier', 'helper', other.callId]);
      await untilStatus(url, runId, 'paused');
      const [job] = (await send(url, `/v1/jobs?runId=${runId}`)).items;
      await send(url, `/v1/jobs/${job.id}/cancel`, {});
      const late = await send(url, `/v1/approvals/${ofJob.id}/decision`, { decision: 'approved' });
      assert.equal(late.error?.code, 'E_APPROVAL_WITHDRAWN');
      await approve(url, other);
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.deepEqual(await installation.launches(), ['detonate helper']);
      const { children } = await send(url, `/v1/runs/${runId}`);
      const states = children.map(({ agent, status }: Body) => [agent, status]);
      assert.deepEqual(
        new Map(states),
        new Map([
          ['courier', 'cancelled'],
          ['helper', 'completed'],
        ]),
      );
    },
  );
}
