import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMonolith, serve } from '@ravi/monolith';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import { send, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';

/** Lets the killed process count as alive for an hour, so that no server takes its runs because of its silence. */
async function prolongLife(folder: string, runId: string): Promise<void> {
  await using store = await createSqliteStateStore({ file: `${folder}/data/state.db` });
  const run = await store.runs.get(runId);
  assert.equal(run?.status, 'running');
  assert.equal((await store.processes.register({ id: run.owner ?? '', deadAfterMs: 3_600_000 })).epoch, 1);
}

const slowTool = `
export default {
  name: 'slow', description: 'Never ends.', risk: 'high', inputSchema: { type: 'object' },
  async execute() { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); },
};`;

test(
  'the next server resumes an agent run whose server was killed during a call, and repeats no effect',
  { timeout: 90_000 },
  async () => {
    const demo = `
      const big = await tools.echo({ text: 'x'.repeat(200_000) });
      await tools.launch({ target: 'moon' });
      return await tools.slow({});`;
    const config = { agent: { demoScript: './demo.ts' }, policy: { maxRiskUnapproved: 'high' as const } };
    await using installation = await createInstallation(config, { 'demo.ts': demo, 'tools/slow.mjs': slowTool });
    using first = startBundled(installation.folder);
    const { id: runId, sessionId } = await send(await first.url(), '/v1/runs', { kind: 'agent', task: 'demo' });
    await first.exit;
    assert.deepEqual(await installation.launches(), ['launch moon']);
    await prolongLife(installation.folder, runId);

    using second = startBundled(installation.folder);
    const url = await second.url();
    const ended = await until(url, runId, 'run-end');
    assert.deepEqual([ended.status, ended.steps], ['completed', 2]);
    const { items: turns } = await send(url, `/v1/sessions/${sessionId}/history`);
    const told = JSON.stringify(turns);
    // The script was resumed, and learned that the outcome of its second call is unknown.
    assert.match(told, /The call of slow was running when the process ended/);
    assert.match(told, /launch\(.*→ ok.*slow\(.*→ unknown \(E_CALL_UNKNOWN\)/);
    assert.deepEqual(await installation.launches(), ['launch moon']);
    // Every call has an end in the events, also the one that was running.
    const seen: Body[] = [];
    for await (const { event, data } of readEvents(await fetch(`${url}/v1/runs/${runId}/events`)))
      seen.push({ event, ...JSON.parse(data).data });
    const callsOf = (event: string): readonly string[] =>
      [...new Set<string>(seen.filter((each) => each.event === event).map(({ callId }) => callId))].toSorted(
        (left, right) => left.localeCompare(right),
      );
    assert.deepEqual(callsOf('tool-result'), callsOf('tool-call'));
    // The earlier artifact still exists, although the start swept the store.
    const run = await send(url, `/v1/runs/${runId}`);
    assert.equal(run.artifacts.length, 1);
    const content = await fetch(`${url}/v1/artifacts/${run.artifacts[0].ref}/content`);
    assert.equal((await content.text()).length, run.artifacts[0].bytes);
  },
);

test(
  'a server shuts down during a stream, a question and a job, and the next server resumes the run',
  { timeout: 90_000 },
  async () => {
    const config = { agent: { demoScript: './demo.ts' }, approvals: { mode: 'pause' as const } };
    const demo = `return await tools.launch({ target: 'moon' });`;
    await using installation = await createInstallation(config, { 'demo.ts': demo });
    using first = startBundled(installation.folder);
    const url = await first.url();
    const agent = await send(url, '/v1/runs', { kind: 'agent', task: 'demo' });
    const asked = await until(url, agent.id, 'approval-requested');
    const paused = await send(url, '/v1/runs', { kind: 'chain', code: `await tools.launch({ target: 'sun' })` });
    await until(url, paused.id, 'approval-requested');
    const working = await send(url, '/v1/runs', { kind: 'chain', code: 'await tools.wait({})' });
    await until(url, working.id, 'tool-call');
    const reader = await fetch(`${url}/v1/runs/${agent.id}/events`);
    first.signal('SIGTERM');
    assert.equal(await first.exit, 0);
    await reader.text().catch(() => {});

    using second = startBundled(installation.folder);
    const next = await second.url();
    assert.equal((await send(next, `/v1/runs/${paused.id}`)).status, 'paused');
    assert.equal((await send(next, `/v1/runs/${working.id}`)).status, 'running');
    // The question keeps its id, and one answer is enough.
    const decision = await send(next, `/v1/approvals/${asked.requestId}/decision`, { decision: 'approved' });
    assert.equal(decision.error, undefined, JSON.stringify(decision));
    assert.equal((await until(next, agent.id, 'run-end')).status, 'completed');
    assert.deepEqual(await installation.launches(), ['launch moon']);
    assert.equal((await send(next, `/v1/runs/${agent.id}`)).pendingApprovals.length, 0);
  },
);

const twoLaunches = `return await Promise.all(['moon', 'sun'].map((target) => tools.launch({ target })));`;

for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
  for (const mode of ['pause', 'wait'] as const) {
    test(
      `the script of an agent continues after ${ending} where it stopped (approvals: ${mode})`,
      { timeout: 90_000 },
      async () => {
        const config = { agent: { demoScript: './demo.ts' }, approvals: { mode } };
        await using installation = await createInstallation(config, { 'demo.ts': twoLaunches });
        using first = startBundled(installation.folder);
        const url = await first.url();
        const { id: runId, sessionId } = await send(url, '/v1/runs', { kind: 'agent', task: 'demo' });
        const pending = async (at: string): Promise<readonly Body[]> =>
          (await send(at, `/v1/approvals?runId=${runId}&status=pending`)).items;
        while ((await pending(url)).length < 2) await pause(20);
        const [sun, moon] = await pending(url);
        await send(url, `/v1/approvals/${moon.id}/decision`, { decision: 'approved' });
        // Until its result is recorded: a call that is killed before that is unknown.
        const trace = async (): Promise<readonly Body[]> => (await send(url, `/v1/runs/${runId}`)).trace;
        while (!(await trace()).some(({ tool, status }) => tool === 'launch' && status === 'ok')) await pause(20);
        first.signal(ending);
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.deepEqual(
          (await pending(next)).map(({ id }) => id),
          [sun.id],
        );
        const decided = await send(next, `/v1/approvals/${sun.id}/decision`, { decision: 'approved' });
        assert.equal(decided.error, undefined, JSON.stringify(decided));
        const ended = await until(next, runId, 'run-end');
        assert.equal(ended.status, 'completed');
        assert.deepEqual(await installation.launches(), ['launch moon', 'launch sun']);
        const { items: turns } = await send(next, `/v1/sessions/${sessionId}/history`);
        assert.match(JSON.stringify(turns), /launched.*launched/);

        const run = await send(next, `/v1/runs/${runId}`);
        const [child, ...others] = run.children;
        assert.deepEqual([child.kind, child.status, others.length], ['chain', 'completed', 0]);
        const script = await send(next, `/v1/runs/${child.id}`);
        assert.deepEqual([script.parentRunId, script.script, script.status], [runId, twoLaunches, 'completed']);
        assert.deepEqual(
          script.trace.map(({ tool, status }: Body) => [tool, status]),
          [
            ['launch', 'ok'],
            ['launch', 'ok'],
          ],
        );
        const call = run.trace.find(({ tool }: Body) => tool === 'tool_chain');
        assert.equal(call.callId, child.callId);
        const launches = run.trace.filter(({ parentId }: Body) => parentId === child.callId);
        assert.equal(launches.length, 2);
      },
    );
  }
}

test('a run during which servers die repeatedly is given up, and its calls have ends', async () => {
  await using installation = await createInstallation();
  const { folder: cwd, configPath } = installation;
  const runId = 'run_of_before';
  await mkdir(join(cwd, 'data'));
  {
    await using store = await createSqliteStateStore({ file: join(cwd, 'data/state.db') });
    const row = { id: runId, principal: 'local', sessionId: 'session_1', createdAt: 1 };
    const owners = Array.from({ length: 8 }, (_, index) => `server_${index}`);
    await store.runs.create({ ...row, definition: { kind: 'agent', details: { agent: 'ravi' } } });
    for (const owner of owners) {
      await store.runs.claim(runId, { owner, start: { event: { ...started, runId }, now: 1 } });
      await store.events.append(runId, { owner, epoch: owners.indexOf(owner) + 1 }, [openCall]);
    }
  }
  await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
  await using server = await serve(monolith, { port: 0, graceMs: 0 });
  assert.equal((await until(server.url, runId, 'run-end')).error.code, 'E_RUN_LOST');
  const { callId, errorCode } = await until(server.url, runId, 'tool-result');
  assert.deepEqual([callId, errorCode], ['call_1', 'E_CALL_UNKNOWN']);
  assert.equal((await send(server.url, `/v1/runs/${runId}`)).status, 'failed');
});

const started = { type: 'run-start', sessionId: 'session_1', kind: 'agent', isAlone: true } as const;
const openCall = {
  n: 2,
  at: 4,
  type: 'tool-call',
  data: { callId: 'call_1', tool: 'echo', argsPreview: '{}', caller: 'direct' },
} as const;
