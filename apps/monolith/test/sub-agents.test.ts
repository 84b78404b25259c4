import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

/** Works until its server is killed. */
const hangTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'crash', description: 'Works.', risk: 'high', inputSchema: { type: 'object' },
  async execute() {
    await appendFile(join(import.meta.dirname, '../launches.txt'), 'crash\\n');
    await new Promise(() => {});
  },
};`;

for (const store of storeCases) {
  store.test(
    `a sub-agent whose server is killed during its call continues on the next one, and repeats no effect (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() }, { 'tools/crash.mjs': hangTool });
      const work = delegate(
        'helper',
        [['launch', { target: 'moon' }]],
        [['crash', {}]],
        [['launch', { target: 'sun' }]],
      );
      using first = startBundled(installation.folder);
      const before = await first.url();
      const runId = await start(before, task([work], [['launch', { target: 'mars' }]]));
      while (!(await installation.launches()).includes('crash')) await pause(20);
      // Events and exchanges are stored a moment after what they report; this test counts them.
      for (let steps = 0, exchanges = 0; steps < 2 || exchanges < 2; await pause(20)) {
        const { id } = (await send(before, `/v1/runs/${runId}`)).children[0];
        ({ steps } = await send(before, `/v1/runs/${id}`));
        exchanges = (await send(before, `/v1/runs/${id}/exchanges`)).items.length;
      }
      first.signal('SIGKILL');
      await first.exit;

      using second = startBundled(installation.folder);
      const url = await second.url();
      const ended = await until(url, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.deepEqual(await installation.launches(), ['launch moon', 'crash', 'launch sun', 'launch mars']);
      assert.match(ended.text, /^launched \| .*crash was running.* \| launched \| launched$/);

      const run = await send(url, `/v1/runs/${runId}`);
      const [child, ...others] = run.children;
      assert.deepEqual(
        [child.kind, child.agent, child.callId, child.status, others.length],
        ['agent', 'helper', 'call_0_0', 'completed', 0],
      );
      // The trace of the run has the calls of its sub-agent, although both have the same ids.
      const told = run.trace.map((call: Body) => {
        const { tool, callId, status, errorCode = '', parentId, runId: of, parentRunId } = call;
        assert.equal(parentRunId, of === undefined ? undefined : runId);
        return [tool, callId, status, errorCode, parentId, of];
      });
      // The call of the sub-agent was made again, so it began last.
      assert.deepEqual(told, [
        ['launch', 'call_0_0', 'ok', '', 'call_0_0', child.id],
        ['crash', 'call_1_0', 'unknown', 'E_CALL_UNKNOWN', 'call_0_0', child.id],
        ['helper', 'call_0_0', 'ok', '', undefined, undefined],
        ['launch', 'call_2_0', 'ok', '', 'call_0_0', child.id],
        ['launch', 'call_1_0', 'ok', '', undefined, undefined],
      ]);
      assert.deepEqual(
        run.trace.map(({ childRunId }: Body) => childRunId),
        [undefined, undefined, child.id, undefined, undefined],
      );
      // Lists have only the outermost runs, unless they are asked for those below one.
      const ids = async (query: string): Promise<readonly string[]> =>
        (await send(url, `/v1/runs${query}`)).items.map(({ id }: Body) => id);
      assert.deepEqual([await ids(''), await ids(`?parentRunId=${runId}`)], [[runId], [child.id]]);
      const helper = await send(url, `/v1/runs/${child.id}`);
      assert.deepEqual([helper.parentRunId, helper.task, helper.steps], [runId, work[1]['task' as never], 4]);
      assert.deepEqual(
        helper.attempts.map(({ end }: Body) => end),
        ['crashed', 'ended'],
      );
      assert.equal((await until(url, child.id, 'run-start')).parentId, 'call_0_0');
      assert.equal((await until(url, runId, 'handoff')).childRunId, child.id);
      const { items: exchanges } = await send(url, `/v1/runs/${child.id}/exchanges`);
      assert.equal(exchanges.length, 4);
    },
  );

  for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
    store.test(
      `the approval of a sub-agent is decided after ${ending} of its server (${store.name})`,
      { timeout: 90_000 },
      async () => {
        await using installation = await installSubAgents({ plugins: store.plugin() });
        const work = delegate('helper', [['launch', { target: 'moon' }]], [['detonate', { target: 'mine' }]]);
        using first = startBundled(installation.folder);
        const url = await first.url();
        const runId = await start(url, task([work]));
        const [asked] = await pendingOf(url, runId, 1);
        const [child] = (await untilStatus(url, runId, 'paused')).children;
        assert.deepEqual([asked.runId, asked.agent, asked.tool], [child.id, 'helper', 'detonate']);
        assert.deepEqual([child.status, (await send(url, `/v1/runs/${child.id}`)).owner], ['paused', undefined]);
        first.signal(ending);
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.equal((await send(next, `/v1/runs/${runId}`)).status, 'paused');
        // The tool belongs to the sub-agent alone, which does not run now.
        await approve(next, asked, { decision: 'modified', modifiedArgs: { target: 'quarry' } });
        const ended = await until(next, runId, 'run-end');
        assert.deepEqual([ended.status, ended.text], ['completed', 'launched | launched']);
        assert.deepEqual(await installation.launches(), ['launch moon', 'detonate quarry']);
        const run = await send(next, `/v1/runs/${runId}`);
        assert.deepEqual([run.children.length, run.children[0].status], [1, 'completed']);
        assert.equal(run.pendingApprovals.length, 0);
      },
    );
  }

  store.test(
    `a sub-agent of a sub-agent pauses, is killed and continues with all above it (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      const helper = delegate('helper', [['detonate', { target: 'mine' }]], [['crash', {}]]);
      const boss = delegate('boss', [helper]);
      using first = startBundled(installation.folder);
      const url = await first.url();
      const runId = await start(url, task([boss]));
      const [asked] = await pendingOf(url, runId, 1);
      assert.equal(asked.agent, 'helper');
      await untilStatus(url, runId, 'paused');
      await approve(url, asked);
      await first.exit;

      using second = startBundled(installation.folder);
      const next = await second.url();
      const ended = await until(next, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.match(ended.text, /^launched \| .*crash was running/);
      assert.deepEqual(await installation.launches(), ['detonate mine', 'crash']);
      const run = await send(next, `/v1/runs/${runId}`);
      const [middle] = run.children;
      const [lowest] = (await send(next, `/v1/runs/${middle.id}`)).children;
      assert.deepEqual([middle.agent, lowest.agent], ['boss', 'helper']);
      const runOf = new Map(run.trace.map(({ tool, runId: of }: Body) => [tool, of]));
      assert.deepEqual(
        ['boss', 'helper', 'detonate', 'crash'].map((tool) => runOf.get(tool)),
        [undefined, middle.id, lowest.id, lowest.id],
      );
    },
  );

  store.test(
    `two sub-agents of one step are decided one after the other, and neither repeats an effect (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      const work = (name: string): Call =>
        delegate('helper', [['launch', { target: name }]], [['detonate', { target: name }]]);
      using server = startBundled(installation.folder);
      const url = await server.url();
      const runId = await start(url, task([work('east'), work('west'), ['launch', { target: 'own' }]]));
      const asked = await pendingOf(url, runId, 2);
      const paused = await untilStatus(url, runId, 'paused');
      assert.deepEqual(new Set(asked.map((each) => each.runId)), new Set(paused.children.map(({ id }: Body) => id)));
      const [west, east] = asked.toSorted((left) => (left.args.target === 'west' ? -1 : 1));
      await approve(url, west);
      while (!(await installation.launches()).includes('detonate west')) await pause(20);
      await untilStatus(url, runId, 'paused');
      await approve(url, east, { decision: 'denied', reason: 'too far' });
      const ended = await until(url, runId, 'run-end');
      assert.deepEqual(ended.status, 'completed');
      assert.match(ended.text, /^launched \| .*denied: too far \| launched \| launched \| launched$/);
      assert.deepEqual(
        (await installation.launches()).toSorted((left, right) => left.localeCompare(right)),
        ['detonate west', 'launch east', 'launch own', 'launch west'],
      );
    },
  );

  store.test(
    `a sub-agent ends with its caller, and its question is withdrawn (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      using server = startBundled(installation.folder);
      const url = await server.url();
      const runId = await start(url, task([delegate('helper', [['detonate', {}]])]));
      const [asked] = await pendingOf(url, runId, 1);
      await untilStatus(url, runId, 'paused');
      await send(url, `/v1/runs/${runId}/cancel`, {});
      const run = await send(url, `/v1/runs/${runId}`);
      assert.deepEqual([run.status, run.children[0].status], ['cancelled', 'cancelled']);
      const late = await send(url, `/v1/approvals/${asked.id}/decision`, { decision: 'approved' });
      assert.equal(late.error?.code, 'E_APPROVAL_WITHDRAWN');
    },
  );

  store.test(
    `the script of a sub-agent pauses, is killed and continues where it stopped (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      const code = `
    const first = await tools.launch({ target: 'moon' });
    const second = await tools.detonate({ target: 'mine' });
    const { error } = await tools.crash.safe({});
    return [first, second, error.code, await tools.launch({ target: 'sun' })].join(', ');`;
      const work = delegate('scripter', [['tool_chain', { code }]]);
      using first = startBundled(installation.folder);
      const url = await first.url();
      const runId = await start(url, task([work]));
      const [asked] = await pendingOf(url, runId, 1);
      await untilStatus(url, runId, 'paused');
      assert.deepEqual([asked.tool, asked.agent], ['detonate', 'scripter']);
      await approve(url, asked);
      await first.exit;

      using second = startBundled(installation.folder);
      const next = await second.url();
      const ended = await until(next, runId, 'run-end');
      assert.equal(ended.text, 'launched, launched, E_CALL_UNKNOWN, launched', JSON.stringify(ended));
      assert.deepEqual(await installation.launches(), ['launch moon', 'detonate mine', 'crash', 'launch sun']);
      const run = await send(next, `/v1/runs/${runId}`);
      const agent = await send(next, `/v1/runs/${run.children[0].id}`);
      assert.deepEqual(
        agent.children.map(({ kind, status }: Body) => [kind, status]),
        [['chain', 'completed']],
      );
      // The call of a script names its run too.
      const linked = run.trace.flatMap(({ tool, childRunId }: Body) =>
        childRunId === undefined ? [] : [[tool, childRunId]],
      );
      assert.deepEqual(
        new Map(linked),
        new Map([
          ['scripter', agent.id],
          ['tool_chain', agent.children[0].id],
        ]),
      );
      assert.equal(asked.runId, agent.children[0].id);
      const launches = run.trace.filter(({ tool }: Body) => tool === 'launch');
      assert.deepEqual(
        launches.map(({ status, runId: of, caller }: Body) => [status, of, caller]),
        [
          ['ok', agent.id, 'chain'],
          ['ok', agent.id, 'chain'],
        ],
      );
    },
  );
}
