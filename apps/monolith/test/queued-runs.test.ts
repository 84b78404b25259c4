import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'vitest';
import { cancel, hang, hangingFiles, untilNoted } from './support/hanging-tool.ts';
import type { TestInstallation } from './support/installation.ts';
import { readEvents } from './support/event-reader.ts';
import type { SentEvent } from './support/event-reader.ts';
import { send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled, startProcess } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { shareStore } from './support/shared-store.ts';
import { pgBossCase, storeCases } from './support/state-stores.ts';
import type { StoreCase } from './support/state-stores.ts';
import { installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const timeout = 90_000;
const launch: Call = ['launch', { target: 'mars' }];
/** A server has one slot for new runs of each kind, and one for those that its engine gives it. */
const slots = { agents: 1, scripts: 1 };

interface World extends AsyncDisposable {
  readonly installation: TestInstallation;
  /** Starts the server, after its first process also a second one. */
  serve(): Promise<{ readonly url: string; readonly process: ServerProcess }>;
}

async function install(store: StoreCase): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const shared = stack.use(await shareStore(store));
  const config = { plugins: shared.plugins, runs: { slots } };
  const installation = stack.use(await installSubAgents(config, hangingFiles));
  const opened = stack.move();
  return {
    installation,
    async serve() {
      const process = opened.use(startBundled(installation.folder));
      return { url: await process.url(), process };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Starts two runs that use all slots of agents, and waits until both work. */
async function fill({ installation }: World, url: string): Promise<readonly [string, string]> {
  const runIds = [await start(url, task([hang])), await start(url, task([hang]))] as const;
  while ((await installation.launches()).filter((line) => line === 'begun').length < 2) {
    await untilNoted(installation, 'begun');
  }
  return runIds;
}

async function eventsOf(url: string, runId: string): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of readEvents(await fetch(`${url}/v1/runs/${runId}/events`))) events.push(event);
  return events;
}

for (const store of [...storeCases, pgBossCase]) {
  store.test(`a run for which there is no slot begins when one is free (${store.name})`, { timeout }, async () => {
    await using world = await install(store);
    const { url } = await world.serve();
    const [first] = await fill(world, url);
    const queued = await send(url, '/v1/runs', { kind: 'agent', task: task([launch]) });
    assert.deepEqual([queued.status, queued.epoch, queued.owner], ['running', 0, undefined]);
    const details = await send(url, `/v1/runs/${queued.id}`);
    assert.deepEqual([details.attempts, details.trace], [[], []]);
    // A script has slots of its own.
    const script = await send(url, '/v1/runs', { kind: 'chain', code: 'return 1' });
    assert.equal((await untilStatus(url, script.id, 'completed')).outcome.result.value, 1);
    const reading = eventsOf(url, queued.id);
    await cancel(url, `runs/${first}`);
    await untilStatus(url, queued.id, 'completed');
    const events = await reading;
    const starts = events.filter(({ event }) => event === 'run-start').map(({ data }) => JSON.parse(data).data);
    assert.deepEqual(
      starts.map(({ agent, isResumed, wasInterrupted, task: text }) => [agent, isResumed, wasInterrupted, text]),
      [['ravi', undefined, undefined, task([launch])]],
    );
    assert.equal(events.at(-1)?.event, 'run-end');
    const { attempts, epoch } = await send(url, `/v1/runs/${queued.id}`);
    assert.deepEqual([attempts.length, attempts[0].end, epoch], [1, 'ended', 1]);
    assert.equal((await world.installation.launches()).filter((line) => line === 'launch mars').length, 1);
  });

  store.test(
    `a queued run is cancelled at once, and one of a script begins later (${store.name})`,
    { timeout },
    async () => {
      await using world = await install(store);
      const { url } = await world.serve();
      await fill(world, url);
      const queued = await start(url, task([launch]));
      const reading = until(url, queued, 'run-end');
      const cancelled = await cancel(url, `runs/${queued}`);
      assert.deepEqual([cancelled.status, cancelled.body.status], [202, 'cancelled']);
      assert.equal((await reading).status, 'cancelled');
      const policy = { maxRiskUnapproved: 'high' };
      const code = 'await tools.crash({}); return 1';
      const scripts: string[] = [];
      for (let count = 0; count < 2; count += 1) {
        scripts.push((await send(url, '/v1/runs', { kind: 'chain', code, policy })).id);
      }
      while ((await world.installation.launches()).filter((line) => line === 'begun').length < 4) {
        await untilNoted(world.installation, 'begun');
      }
      const waiting = await send(url, '/v1/runs', { kind: 'chain', code: 'return 7' });
      assert.equal(waiting.epoch, 0);
      await cancel(url, `runs/${scripts[0]}`);
      const ended = await untilStatus(url, waiting.id, 'completed');
      assert.deepEqual([ended.outcome.result.value, ended.attempts.length], [7, 1]);
      assert.ok(!(await world.installation.launches()).includes('launch mars'));
    },
  );

  store.test(`queued runs begin on the next server after a kill (${store.name})`, { timeout }, async () => {
    await using world = await install(store);
    const { url, process } = await world.serve();
    const filling = await fill(world, url);
    const queued = await Promise.all(Array.from({ length: 5 }, () => start(url, task([launch]))));
    for (const runId of queued) assert.equal((await send(url, `/v1/runs/${runId}`)).epoch, 0);
    process.signal('SIGKILL');
    await process.exit;
    const next = await world.serve();
    for (const runId of filling) await cancel(next.url, `runs/${runId}`);
    for (const runId of queued) {
      const { attempts } = await untilStatus(next.url, runId, 'completed');
      assert.equal(attempts.length, 1);
    }
    const launches = (await world.installation.launches()).filter((line) => line === 'launch mars');
    assert.equal(launches.length, queued.length);
  });

  store.test(`a session has one queued run, and a repeated request names it (${store.name})`, { timeout }, async () => {
    await using world = await install(store);
    const { url } = await world.serve();
    await fill(world, url);
    const body = { kind: 'agent', task: task([launch]), sessionId: 'session_one' };
    const post = async (key?: string): Promise<Body> => {
      const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
      const response = await fetch(`${url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const [first, ...others] = await Promise.all(['key-1', 'key-1', 'key-1'].map(post));
    assert.equal(first.status, 201);
    for (const other of others) assert.deepEqual([other.status, other.body.id], [201, first.body.id]);
    const refused = await post();
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'E_SESSION_BUSY']);
    // Of several at once, at most one stays.
    const raced = await Promise.all(
      ['a', 'b', 'c', 'd'].map(() =>
        send(url, '/v1/runs', { kind: 'agent', task: task([launch]), sessionId: 'session_two' }),
      ),
    );
    const { items } = await send(url, '/v1/runs?sessionId=session_two&status=running');
    assert.ok(items.length <= 1, JSON.stringify(raced));
    for (const answer of raced) assert.ok(answer.error?.code === 'E_SESSION_BUSY' || answer.id === items[0]?.id);
    assert.deepEqual(
      (await send(url, '/v1/runs', { kind: 'agent', task: 'x', agent: 'missing' })).error.code,
      'E_AGENT_UNKNOWN',
    );
  });
}

/** A state store in SQLite that fails the first two claims of each queued run, as one whose file is locked. */
const flakyStore = `
import sqlite from ${JSON.stringify(import.meta.resolve('@ravi/state-sqlite'))};
import { KernelError } from ${JSON.stringify(import.meta.resolve('@ravi/kernel'))};
const failures = new Map();
export default {
  ...sqlite,
  name: 'flaky',
  async create(options, context) {
    const store = await sqlite.create(options, context);
    const { claim, get } = store.runs;
    store.runs.claim = async (id, request) => {
      const count = failures.get(id) ?? 0;
      if (count < 2 && (await get(id))?.epoch === 0) {
        failures.set(id, count + 1);
        throw new KernelError('E_STATE_UNAVAILABLE', 'The file is locked', { retryable: true });
      }
      return claim(id, request);
    };
    return store;
  },
};`;

// Shorter than the time until a look at the store finds them.
test('queued runs whose first claims fail begin without a look at the store', { timeout: 45_000 }, async () => {
  const plugins = { stateStore: { use: './flaky.mjs', file: './state.db' } };
  const files = { ...hangingFiles, 'flaky.mjs': flakyStore };
  await using installation = await installSubAgents({ plugins, runs: { slots } }, files);
  using process = startProcess(installation.folder, ['--port', '0']);
  const url = await process.url();
  const world = { installation } as World;
  const filling = await fill(world, url);
  const queued = await Promise.all(Array.from({ length: 3 }, () => start(url, task([launch]))));
  for (const runId of filling) await cancel(url, `runs/${runId}`);
  for (const runId of queued) await untilStatus(url, runId, 'completed');
  const { ready, delayed } = (await send(url, '/v1/queue')).runs;
  assert.deepEqual([ready, delayed], [0, 0]);
});

test('a queued run whose agent is missing is blocked, and begins when the agent is back', { timeout }, async () => {
  const clerk = { agents: { clerk: { description: 'Works.' } }, defaultAgent: 'clerk' };
  const common = { runs: { slots, leaseMs: 2_000 } };
  await using installation = await installSubAgents({ ...common, ...clerk }, hangingFiles);
  const config = JSON.parse(await readFile(installation.configPath, 'utf8'));
  const serve = async (withClerk: boolean): Promise<ServerProcess> => {
    const { agents, defaultAgent, ...others } = config;
    const shown = withClerk ? { ...others, agents, defaultAgent } : others;
    await writeFile(installation.configPath, JSON.stringify(shown));
    return startBundled(installation.folder);
  };
  using first = await serve(true);
  const url = await first.url();
  await fill({ installation } as World, url);
  const queued = await start(url, task([launch]));
  first.signal('SIGKILL');
  await first.exit;
  using second = await serve(false);
  await untilStatus(await second.url(), queued, 'blocked');
  second.signal('SIGTERM');
  await second.exit;
  using third = await serve(true);
  const run = await untilStatus(await third.url(), queued, 'completed');
  const starts = (await eventsOf(await third.url(), queued)).filter(({ event }) => event === 'run-start');
  const [{ isResumed, wasInterrupted }] = starts.map(({ data }) => JSON.parse(data).data);
  assert.deepEqual([starts.length, isResumed, wasInterrupted, run.epoch], [1, undefined, undefined, 1]);
});
