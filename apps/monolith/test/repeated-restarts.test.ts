import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMonolith, serve } from '@ravi/monolith';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { readingConfig, readingFiles } from './support/reading-agent.ts';
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

/** Follows a run across its streams until it ends, and returns the data of its end. */
async function ended(url: string, runId: string): Promise<Body> {
  for (let last = ''; ;) {
    const response = await fetch(`${url}/v1/runs/${runId}/events`, { headers: { 'last-event-id': last } });
    for await (const received of readEvents(response)) {
      if (received.event === 'run-end') return JSON.parse(received.data).data;
      last = received.id ?? last;
    }
  }
}

async function untilBegun({ launches }: TestInstallation, times: number): Promise<void> {
  while ((await launches()).length < times) await pause(20);
}

/** Resolves when the response of the model is stored. It may end after its call has begun, because `read` is a safe tool. */
async function untilResponseIsStored(url: string, runId: string): Promise<void> {
  const response = await fetch(`${url}/v1/runs/${runId}/events`);
  for await (const { event, id } of readEvents(response)) if (event === 'model-end' && id !== undefined) return;
}

/**
 * Starts a run on a first server, which ends with `signal` during its call, as do the next ones until there were `times`. The first
 * attempt has progress: the response of the model is stored.
 */
async function restarted(installation: TestInstallation, signal: NodeJS.Signals, times: number): Promise<string> {
  let runId = '';
  for (let number = 1; number <= times; number++) {
    using server = startBundled(installation.folder);
    const url = await server.url();
    if (number === 1) runId = (await send(url, '/v1/runs', { kind: 'agent', task: 'read it' })).id;
    await untilBegun(installation, number);
    if (number === 1) await untilResponseIsStored(url, runId);
    server.signal(signal);
    await server.exit;
  }
  return runId;
}

test('a run completes after ten shutdowns in a row during the same call', { timeout: 240_000 }, async () => {
  await using installation = await createInstallation(readingConfig, readingFiles);
  const runId = await restarted(installation, 'SIGTERM', 10);
  using server = startBundled(installation.folder);
  const url = await server.url();
  await untilBegun(installation, 11);
  await writeFile(join(installation.folder, 'go'), '');
  const end = await ended(url, runId);
  assert.deepEqual([end.status, end.text], ['completed', 'read at last']);
  const { attempts } = await send(url, `/v1/runs/${runId}`);
  assert.deepEqual(
    attempts.map((attempt: Body) => attempt.end),
    [...Array<string>(10).fill('suspended'), 'ended'],
  );
});

test('a suspected run fails at the crash after runs.maxFruitlessCrashes crashes', { timeout: 120_000 }, async () => {
  await using installation = await createInstallation(readingConfig, readingFiles);
  // The first attempt stores a response. After two crashes without progress the run is suspected, and the second crash then ends it.
  const runId = await restarted(installation, 'SIGKILL', 5);
  using server = startBundled(installation.folder);
  const url = await server.url();
  const end = await ended(url, runId);
  assert.deepEqual([end.status, end.error?.code], ['failed', 'E_RUN_LOST'], JSON.stringify(end));
  assert.match(end.error.message, /crashed 2 times in a row without progress.*\(runs\.maxFruitlessCrashes is 1\)/);
  const { attempts, trace } = await send(url, `/v1/runs/${runId}`);
  assert.deepEqual(
    attempts.map((attempt: Body) => attempt.end),
    [...Array<string>(5).fill('crashed'), 'ended'],
  );
  assert.deepEqual([trace.length, trace[0].status, trace[0].errorCode], [1, 'error', 'E_CALL_UNKNOWN']);
});

test('attempts of a run name the crash and the time in which no process ran it', { timeout: 90_000 }, async () => {
  await using installation = await createInstallation(readingConfig, readingFiles);
  const before = Date.now();
  const runId = await restarted(installation, 'SIGKILL', 1);
  const killedAt = Date.now();
  await pause(500);
  const restartedAt = Date.now();
  using server = startBundled(installation.folder);
  const url = await server.url();
  await untilBegun(installation, 2);
  const live = await send(url, `/v1/runs/${runId}`);
  assert.deepEqual(
    live.attempts.map(({ epoch, end }: Body) => [epoch, end]),
    [
      [1, 'crashed'],
      [2, undefined],
    ],
  );
  await writeFile(join(installation.folder, 'go'), '');
  await ended(url, runId);
  const { attempts, task, trace } = await send(url, `/v1/runs/${runId}`);
  const [crashed, last] = attempts;
  assert.deepEqual([attempts.length, crashed.end, last.end, task], [2, 'crashed', 'ended', 'read it']);
  assert.ok(crashed.startedAt >= before && crashed.endedAt <= killedAt, JSON.stringify(crashed));
  assert.ok(last.startedAt >= restartedAt && last.endedAt >= last.startedAt, JSON.stringify(last));
  // The call was made again, so it does not reach back over the time without a process.
  assert.deepEqual([trace.length, trace[0].status], [1, 'ok']);
  assert.ok(trace[0].startedAt >= last.startedAt, JSON.stringify(trace));
});

test('a run whose process ended before its first event was stored has its task', async () => {
  await using installation = await createInstallation(readingConfig, readingFiles);
  const { folder: cwd, configPath } = installation;
  await mkdir(join(cwd, 'data'));
  await writeFile(join(cwd, 'go'), '');
  const permissions = { allowedTools: [], toolsEnabled: true, maxRiskUnapproved: 'safe', defaultRisk: 'high' };
  const details = { agent: 'ravi', task: 'read it', permissions: { ...permissions, skills: [], skillBounds: [] } };
  {
    await using store = await createSqliteStateStore({ file: join(cwd, 'data/state.db') });
    const row = { id: 'run_1', principal: 'local', sessionId: 'session_1', createdAt: 1 };
    const definition = { kind: 'agent', details, policy: {} };
    await store.runs.create({ ...row, definition }, { owner: 'before' });
  }
  await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
  await using server = await serve(monolith, { port: 0, graceMs: 0 });
  assert.equal((await ended(server.url, 'run_1')).text, 'read at last');
  assert.equal((await send(server.url, '/v1/runs/run_1')).task, 'read it');
});
