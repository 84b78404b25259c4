import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PluginEntry, RaviConfig } from '@ravi/host';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { startChatModel } from './support/chat-model.ts';
import type { ModelCall } from './support/chat-model.ts';
import { readEvents } from './support/event-reader.ts';
import { startHeldWorld } from './support/held-world.ts';
import { createInstallation } from './support/installation.ts';
import { startBundled } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
type Body = any;

const postgres = await postgresForTests();
afterAll(() => postgres[Symbol.asyncDispose]());
const onPostgres = postgres.url === undefined ? test.skip : test;

async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Reads the stored events of a run from one server, across its streams, until the run has ended. */
async function eventsOf(url: string, runId: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let last = ''; ;) {
    const response = await fetch(`${url}/v1/runs/${runId}/events`, { headers: { 'last-event-id': last } });
    for await (const { id, event, data } of readEvents(response)) {
      if (id === undefined) continue;
      last = id;
      seen.push(`${id} ${event} ${data}`);
      if (event === 'run-end') return seen;
    }
  }
}

/** Returns every row of every table of the state store but those in which processes say that they live. */
async function allRows(url: string, schema: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 AND table_name NOT IN ('ravi_processes', 'ravi_leases') ORDER BY 1",
      [schema],
    );
    const all: Record<string, readonly unknown[]> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${schema}.${name} t ORDER BY 1`);
      all[name] = rows.map(({ row }) => row);
    }
    return all;
  } finally {
    await client.end();
  }
}

const wire = (id: string): ModelCall => ({ name: 'wire', args: { id } });
const scriptFor = (name: string): string => `
  const both = await Promise.all(['late', 'held'].map((id) => tools.wire.safe({ id: '${name}-' + id })));
  return both.map(({ status, error }) => error?.code ?? status);`;

function callsOf(task: string): readonly ModelCall[] {
  if (task === 'nested') return [{ name: 'helper', args: { task: 'inside' } }];
  if (task === 'inside') return [wire('inside-late'), wire('inside-held')];
  if (task === 'script') return [{ name: 'tool_chain', args: { code: scriptFor('inner') } }];
  return [wire('direct-late'), wire('direct-held')];
}

const names = ['direct', 'inside', 'inner', 'chain'];
const late = names.map((name) => `${name}-late`);
const held = names.map((name) => `${name}-held`);

const source = (path: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../packages', path)).href);

/** Returns the source of a tool that is an agent, with the tool `wire`. */
function helperTool(modelUrl: string): string {
  return `
import { createAgentTool, ReActAgent } from ${source('agents/src/index.ts')};
import { createOpenAiProvider } from ${source('providers/openai/src/index.ts')};
import wire from './wire.mjs';
const model = createOpenAiProvider({ model: 'scripted', baseUrl: ${JSON.stringify(modelUrl)}, api: 'chat' });
const policy = { maxRiskUnapproved: 'high' };
export default createAgentTool(new ReActAgent({ name: 'helper', model, policy, tools: [wire] }));
`;
}

/** Returns the configuration of both servers. */
function configOf(modelUrl: string, stateStore?: PluginEntry): RaviConfig {
  return {
    policy: { maxRiskUnapproved: 'high' },
    // A loaded machine must not let a server count as dead before it is stopped.
    runs: { leaseMs: 6_000 },
    plugins: {
      modelProvider: [{ use: '@ravi/provider-openai', model: 'scripted', baseUrl: modelUrl, api: 'chat' }],
      ...(stateStore === undefined ? {} : { stateStore }),
    },
  };
}

onPostgres(
  'a server that is stopped until it counts as dead changes no row, and aborts the signals of its calls',
  { timeout: 150_000 },
  async () => {
    const url = postgres.url as string;
    const schema = `stopped_${process.pid}`;
    await using world = await startHeldWorld();
    await using model = await startChatModel(callsOf);
    await using installation = await createInstallation(
      configOf(model.url, { use: '@ravi/state-postgres', url, schema }),
      { 'tools/wire.mjs': world.tool, 'tools/helper.mjs': helperTool(model.url) },
    );
    using first = startBundled(installation.folder);
    const stoppedUrl = await first.url();
    const runs = [
      { kind: 'agent', task: 'direct' },
      { kind: 'agent', task: 'script' },
      { kind: 'chain', code: scriptFor('chain') },
      { kind: 'agent', task: 'nested' },
    ];
    const started: Body[] = [];
    for (const run of runs) started.push(await send(stoppedUrl, '/v1/runs', run));
    const ids: readonly string[] = started.map(({ id }) => id);
    const [direct] = ids;
    const readers = ids.map((id) => eventsOf(stoppedUrl, id));
    using second = startBundled(installation.folder);
    const liveUrl = await second.url();
    await world.until(late.length + held.length, ({ kind }) => kind === 'call');

    first.signal('SIGSTOP');
    const events = await Promise.all(ids.map((id) => eventsOf(liveUrl, id)));
    const pids = new Set(world.reports.map(({ pid }) => pid));
    assert.deepEqual([...pids], [first.child.pid], 'no effect was repeated');
    world.answer(...late);
    const before = await allRows(url, schema);
    first.signal('SIGCONT');
    await world.until(held.length, ({ kind, id }) => kind === 'abort' && held.includes(id));
    assert.deepEqual(await Promise.all(readers), events);
    first.signal('SIGTERM');
    assert.equal(await first.exit, 0);
    assert.deepEqual(await allRows(url, schema), before);
    for (const { kind, reason } of world.reports) if (kind === 'abort') assert.equal(reason, 'E_RUN_SUSPENDED');

    // The journal says what the model and the scripts read.
    for (const [id, sessionId] of started.slice(0, 2).map((run) => [run.id, run.sessionId])) {
      const told = JSON.stringify((await send(liveUrl, `/v1/sessions/${sessionId}/history`)).items);
      assert.match(told, id === direct ? /Its outcome is unknown/ : /E_CALL_UNKNOWN/);
      assert.doesNotMatch(told, /wired/);
    }
    const shown = await Promise.all(ids.map((id) => send(liveUrl, `/v1/runs/${id}`)));
    assert.deepEqual(
      shown.map(({ status }) => status),
      ['completed', 'completed', 'completed', 'completed'],
    );
    // Both in the journal and in the events.
    for (const { id, trace } of shown.slice(0, 3)) {
      const codes = trace.flatMap((call: Body) => (call.tool === 'wire' ? [call.errorCode] : []));
      assert.deepEqual(codes, ['E_CALL_UNKNOWN', 'E_CALL_UNKNOWN'], id);
    }
    const journal = before['ravi_journal'] ?? [];
    assert.equal(journal.filter((row) => /wired/.test(String(row))).length, 0);
  },
);

test(
  'a server that was stopped until it counted as dead loses its runs, and then works on',
  { timeout: 90_000 },
  async () => {
    await using world = await startHeldWorld();
    await using model = await startChatModel(callsOf);
    await using installation = await createInstallation(configOf(model.url), { 'tools/wire.mjs': world.tool });
    using first = startBundled(installation.folder);
    const stoppedUrl = await first.url();
    const { id } = await send(stoppedUrl, '/v1/runs', { kind: 'agent', task: 'direct' });
    const reader = eventsOf(stoppedUrl, id);
    using second = startBundled(installation.folder);
    const liveUrl = await second.url();
    const recordOfFirst = async (): Promise<Body> =>
      (await send(liveUrl, '/v1/processes')).items.find(({ address }: Body) => address === stoppedUrl);
    await world.until(2, ({ kind }) => kind === 'call');
    const before = await recordOfFirst();
    assert.equal(before.isAlive, true);

    first.signal('SIGSTOP');
    const events = await eventsOf(liveUrl, id);
    assert.equal((await recordOfFirst()).isAlive, false);
    world.answer('direct-late');
    first.signal('SIGCONT');
    await world.until(1, (report) => report.kind === 'abort' && report.id === 'direct-held');
    assert.deepEqual(await reader, events);
    assert.equal(world.reports.filter(({ kind }) => kind === 'call').length, 2, 'no effect was repeated');
    const after = await recordOfFirst();
    assert.deepEqual([after.epoch, after.isAlive], [before.epoch + 1, true]);

    const next = await send(stoppedUrl, '/v1/runs', { kind: 'chain', code: 'return 7' });
    await eventsOf(liveUrl, next.id);
    const { status, epoch, attempts } = await send(liveUrl, `/v1/runs/${next.id}`);
    assert.deepEqual([status, epoch, attempts.length], ['completed', 1, 1]);
  },
);
