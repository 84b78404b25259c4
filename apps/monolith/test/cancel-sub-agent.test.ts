import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import type { StoreCase } from './support/state-stores.ts';
import { delegate, installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';
import { cancel, childOf, hang, hangingFiles, untilNoted } from './support/hanging-tool.ts';
import type { TestInstallation } from './support/installation.ts';

const timeout = 90_000;
const ask: Call = ['ask_user', { question: 'Which way?' }];
const launch: Call = ['launch', { target: 'mars' }];
const cancelledText = (agent: string): string =>
  `The agent ${agent} ended without an answer (cancelled): The user cancelled the run`;

interface World {
  readonly installation: TestInstallation;
  readonly url: string;
}

/** Starts one server for all tests of a store, none of which ends it. Each test begins without notes of the ones before. */
function shareServer(store: StoreCase): () => Promise<World> {
  const stack = new AsyncDisposableStack();
  let opened: Promise<World> | undefined;
  afterAll(() => stack.disposeAsync());
  const open = async (): Promise<World> => {
    const installation = stack.use(await installSubAgents({ plugins: store.plugin() }, hangingFiles));
    return { installation, url: await stack.use(startBundled(installation.folder)).url() };
  };
  return async () => {
    const world = await (opened ??= open());
    await rm(join(world.installation.folder, 'launches.txt'), { force: true });
    return world;
  };
}

for (const store of storeCases) {
  const world = shareServer(store);

  store.test(
    `a sub-agent is cancelled during its call: the call ends, and the model of its caller reads why (${store.name})`,
    { timeout },
    async () => {
      const { installation, url } = await world();
      const runId = await start(url, task([delegate('boss', [delegate('helper', [hang])])], [launch]));
      await untilNoted(installation, 'begun');
      const boss = await childOf(url, runId);
      const helper = await childOf(url, boss.id);
      assert.equal((await cancel(url, `runs/${helper.id}`)).status, 202);
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.ok(ended.text.startsWith(cancelledText('helper')), ended.text);
      await untilNoted(installation, 'aborted', 'launch mars');
      const below = await send(url, `/v1/runs/${helper.id}`);
      assert.deepEqual(
        [below.status, below.error.message, (await childOf(url, runId)).status],
        ['cancelled', 'The user cancelled the run', 'completed'],
      );
      assert.equal((await until(url, helper.id, 'run-end')).status, 'cancelled');
      const again = await cancel(url, `runs/${helper.id}`);
      assert.deepEqual([again.status, again.body.error.code], [409, 'E_STATE_CONFLICT']);
    },
  );

  store.test(
    `the approval of a cancelled sub-agent is withdrawn while its caller works, and its script ends (${store.name})`,
    { timeout },
    async () => {
      const { installation, url } = await world();
      const code = 'await tools.crash({});';
      const work = [delegate('helper', [['detonate', {}]]), delegate('scripter', [['tool_chain', { code }]])];
      const runId = await start(url, task(work));
      const [asked] = await pendingOf(url, runId, 1);
      await untilNoted(installation, 'begun');
      assert.equal((await cancel(url, `runs/${asked.runId}`)).status, 202);
      await until(url, asked.runId, 'run-end');
      const late = await send(url, `/v1/approvals/${asked.id}/decision`, { decision: 'approved' });
      assert.equal(late.error?.code, 'E_APPROVAL_WITHDRAWN');

      const { status, children } = await send(url, `/v1/runs/${runId}`);
      assert.equal(status, 'running');
      const scripter = children.find(({ agent }: Body) => agent === 'scripter');
      const script = await childOf(url, scripter.id);
      assert.equal((await cancel(url, `runs/${scripter.id}`)).status, 202);
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.text, `${cancelledText('helper')} | ${cancelledText('scripter')}`);
      assert.equal((await send(url, `/v1/runs/${script.id}`)).status, 'cancelled');
      assert.deepEqual(await installation.launches(), ['begun', 'aborted']);
    },
  );

  for (const [kind, call] of [
    ['question', ask],
    ['approval', ['detonate', {}]],
  ] as const) {
    store.test(
      `a sub-agent that is paused for a ${kind} is cancelled, and its callers continue (${store.name})`,
      { timeout },
      async () => {
        const { url } = await world();
        const runId = await start(url, task([delegate('boss', [delegate('helper', [call])])], [launch]));
        const run = await untilStatus(url, runId, 'paused');
        const helper = await childOf(url, run.children[0].id);
        const cancelled = await cancel(url, `runs/${helper.id}`);
        assert.deepEqual([cancelled.status, cancelled.body.status], [202, 'cancelled']);
        const ended = await until(url, runId, 'run-end');
        assert.deepEqual([ended.status, ended.text], ['completed', `${cancelledText('helper')} | launched`]);
        const { questions, pendingApprovals } = await send(url, `/v1/runs/${runId}`);
        assert.deepEqual([questions, pendingApprovals], [[], []]);
      },
    );
  }

  store.test(
    `a question of a cancelled sub-agent is withdrawn, and that of another one is still asked (${store.name})`,
    { timeout },
    async () => {
      const { url } = await world();
      const runId = await start(url, task([delegate('helper', [ask]), delegate('helper', [ask], [launch])]));
      const { children } = await untilStatus(url, runId, 'paused');
      const [first] = children.filter(({ callId }: Body) => callId === 'call_0_0');
      await cancel(url, `runs/${first.id}`);
      let { questions } = await send(url, `/v1/runs/${runId}`);
      while (questions.length !== 1) {
        await pause(20);
        ({ questions } = await send(url, `/v1/runs/${runId}`));
      }
      assert.equal(questions[0].callId, 'call_0_1.call_0_0');
      await untilStatus(url, runId, 'paused');
      await send(url, `/v1/runs/${runId}/resume`, { answer: { [questions[0].callId]: 'Left' } });
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.text, `${cancelledText('helper')} | Left | launched`);
    },
  );

  store.test(
    `a job inside a sub-agent is cancelled, and the model of the sub-agent reads why (${store.name})`,
    { timeout },
    async () => {
      const { installation, url } = await world();
      const runId = await start(url, task([delegate('dispatcher', [delegate('courier', [hang])])]));
      await untilNoted(installation, 'begun');
      const { id } = await childOf(url, runId);
      const [job] = (await send(url, `/v1/jobs?runId=${id}`)).items;
      const cancelled = await cancel(url, `jobs/${job.id}`);
      assert.deepEqual([cancelled.status, cancelled.body.status], [202, 'cancelled']);
      assert.equal((await until(url, runId, 'run-end')).status, 'completed');
      const { items } = await send(url, `/v1/runs/${id}/exchanges`);
      assert.match(JSON.stringify(items), /The job job_[\w-]+ of courier .* is cancelled:\\nThe job was cancelled/);
      assert.equal((await childOf(url, id)).status, 'cancelled');
      await untilNoted(installation, 'aborted');
    },
  );

  store.test(
    `a run that is paused for the question of a job continues when the job is cancelled (${store.name})`,
    { timeout },
    async () => {
      const { url } = await world();
      const runId = await start(url, task([delegate('courier', [ask])], [launch]));
      const { questions, sessionId } = await untilStatus(url, runId, 'paused');
      assert.equal(questions[0].agent, 'courier');
      const [job] = (await send(url, `/v1/jobs?runId=${runId}`)).items;
      assert.equal((await cancel(url, `jobs/${job.id}`)).status, 202);
      assert.equal((await until(url, runId, 'run-end')).status, 'completed');
      const { items } = await send(url, `/v1/sessions/${sessionId}/history`);
      assert.match(JSON.stringify(items), /The job job_[\w-]+ of courier .* is cancelled:\\nThe job was cancelled/);
      const { children } = await send(url, `/v1/runs/${runId}`);
      assert.deepEqual(
        children.map(({ status }: Body) => status),
        ['cancelled'],
      );
    },
  );

  store.test(
    `a sub-agent that has asked is cancelled while another one works, and its question is not asked (${store.name})`,
    { timeout },
    async () => {
      const { installation, url } = await world();
      const runId = await start(url, task([delegate('helper', [ask]), delegate('helper', [hang])], [launch]));
      await untilNoted(installation, 'begun');
      let asking: Body;
      let working: Body;
      while (asking?.status !== 'paused' || working === undefined) {
        await pause(20);
        const { children } = await send(url, `/v1/runs/${runId}`);
        asking = children.find(({ callId }: Body) => callId === 'call_0_0');
        working = children.find(({ callId }: Body) => callId === 'call_0_1');
      }
      const first = await cancel(url, `runs/${asking.id}`);
      assert.deepEqual([first.status, first.body.status], [202, 'cancelled']);
      assert.equal((await cancel(url, `runs/${working.id}`)).status, 202);
      const ended = await until(url, runId, 'run-end');
      assert.deepEqual(
        [ended.status, ended.text],
        ['completed', `${cancelledText('helper')} | ${cancelledText('helper')} | launched`],
      );
      await untilNoted(installation, 'aborted');
    },
  );

  store.test(
    `a job inside a sub-agent that asks is cancelled while all runs are paused, and they continue (${store.name})`,
    { timeout },
    async () => {
      const { url } = await world();
      const runId = await start(url, task([delegate('dispatcher', [delegate('courier', [ask])])], [launch]));
      const { children } = await untilStatus(url, runId, 'paused');
      const { id } = children[0];
      const [job] = (await send(url, `/v1/jobs?runId=${id}`)).items;
      assert.equal((await cancel(url, `jobs/${job.id}`)).status, 202);
      assert.equal((await until(url, runId, 'run-end')).status, 'completed');
      const { items } = await send(url, `/v1/runs/${id}/exchanges`);
      assert.match(JSON.stringify(items), /The job job_[\w-]+ of courier .* is cancelled:\\nThe job was cancelled/);
      assert.equal((await childOf(url, id)).status, 'cancelled');
    },
  );
}
