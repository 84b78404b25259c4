import assert from 'node:assert/strict';
import type { AgentEvent, ReActAgent } from '@ravi/agents';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import type { DurableChains } from '@ravi/capabilities';
import { HookManager } from '@ravi/invoker';
import { isKernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { Run, RunStore } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { createAgentRunner } from '../src/runs/agent-runner.ts';
import { createRecoverAgentRun } from '../src/runs/recover-agent-run.ts';
import { createRunRecorder } from '../src/runs/run-recorder.ts';
import { withEventRecording } from '../src/runs/with-event-recording.ts';

const scope = { runId: 'run_1', sessionId: 's' } as const;
const holder = { owner: 'one' };

/** Stands for an agent: each recovery says one sentence and pauses again. */
function createPausingAgent(runs: RunStore): ReActAgent {
  async function attempt(run: Run, observers: readonly ((event: AgentEvent) => void)[]): Promise<object> {
    const claimed = await runs.claim(run.id, holder);
    const { epoch } = claimed as Run;
    await runs.transition(run.id, { from: ['paused'], to: 'running', now: 1, owner: 'one', epoch });
    const message = { role: 'assistant', content: [{ type: 'text', text: `attempt ${epoch}` }] } as const;
    const events = [
      { type: 'run-start', ...scope, kind: 'agent', isResumed: true },
      { type: 'message', ...scope, message },
    ] as const;
    for (const event of events) for (const observe of observers) observe(event);
    const event = { type: 'run-paused', ...scope, questions: [], reason: 'approval' } as const;
    await runs.transition(run.id, { from: ['running'], to: 'paused', now: 2, owner: 'one', epoch, event });
    return { status: 'paused' };
  }

  return {
    name: 'ravi',
    recover(run: Run) {
      const observers: ((event: AgentEvent) => void)[] = [];
      const result = Promise.resolve().then(() => attempt(run, observers));
      return {
        result,
        observe: (observer: (event: AgentEvent) => void) => void observers.push(observer),
        async *[Symbol.asyncIterator]() {
          await result;
        },
      };
    },
  } as unknown as ReActAgent;
}

/** A paused run and its runner, whose logs close when the test says so, as if artifacts were still being pinned. */
async function createWorld() {
  const store = await createSqliteStateStore({ file: ':memory:' });
  const services = { clock: systemClock, logger: silentLogger };
  const hooks = new HookManager(services);
  const blobStore = createMemoryBlobStore(services);
  const recorder = createRunRecorder({ hooks, store, blobStore, ...services });
  const pinned = Promise.withResolvers<void>();
  const slow = {
    ...recorder,
    async close(runId: string) {
      await pinned.promise;
      return recorder.close(runId);
    },
  };
  const agent = createPausingAgent(recorder.runs);
  const { journal, approvals } = store;
  const lifetime = new AbortController().signal;
  const agents = { defaultName: 'ravi', all: new Map([['ravi', { agent }]]) };
  const runner = createAgentRunner({ agents, recorder: slow, stores: { journal, approvals }, lifetime });
  const definition = { kind: 'agent', details: { agent: 'ravi', task: 'go' } };
  await store.runs.create({ id: 'run_1', principal: 'ada', sessionId: 's', createdAt: 1, definition }, holder);
  await store.runs.transition('run_1', { from: ['running'], to: 'paused', now: 1 });
  const row = async (): Promise<Run> => (await store.runs.get('run_1')) as Run;
  return {
    store,
    runner,
    row,
    letClose: pinned.resolve,
    untilPaused: async () => {
      while ((await row()).status !== 'paused') await new Promise(setImmediate);
    },
    idsAndTypes: async () => (await recorder.read('run_1')).map(({ id, type }) => `${id} ${type}`),
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]?.();
    },
  };
}

const twoAttempts = [
  '2.1 run-start',
  '2.2 model-text',
  '2.3 run-paused',
  '3.1 run-start',
  '3.2 model-text',
  '3.3 run-paused',
];

test('a run that is woken while the log of its last attempt closes loses no event of the next one', async () => {
  await using world = await createWorld();
  const { runner, row } = world;
  const first = await runner.recover(await row());
  await world.untilPaused();
  await assert.rejects(runner.recover(await row()), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  world.letClose();
  await first.result;
  await (
    await runner.recover(await row())
  ).result;
  assert.deepEqual(await world.idsAndTypes(), twoAttempts);
});

test('recovery that finds a run whose log is closing continues it afterwards, and not a second time', async () => {
  await using world = await createWorld();
  const { runner, row, store } = world;
  const recover = createRecoverAgentRun({ agentRunner: runner, runs: store.runs, logger: silentLogger });
  const first = await runner.recover(await row());
  await world.untilPaused();
  const found = await row();
  const both = Promise.all([recover(found), recover(found)]);
  world.letClose();
  await first.result;
  await both;
  await runner.settled('run_1');
  await world.untilPaused();
  assert.deepEqual(await world.idsAndTypes(), twoAttempts);
});

test('a run that another process has resumed first, or whose events cannot be read, does not keep its turn', async () => {
  await using world = await createWorld();
  const { runner, row, store } = world;
  const left: string[] = [];
  const onLeft = (runId: string): void => void left.push(runId);
  const recover = createRecoverAgentRun({ agentRunner: runner, runs: store.runs, onLeft, logger: silentLogger });
  world.letClose();
  const found = await row();
  await store.processes.register({ id: 'two', deadAfterMs: 60_000 });
  await store.runs.claim('run_1', { owner: 'two' });
  await recover(found);
  await runner.settled('run_1');
  await new Promise(setImmediate);
  assert.deepEqual(left, ['run_1']);

  const services = { clock: systemClock, logger: silentLogger };
  const events = { ...store.events, list: () => Promise.reject(new Error('the store is gone')) };
  const hooks = new HookManager(services);
  const parts = { hooks, store: { ...store, events }, blobStore: createMemoryBlobStore(services) };
  await using recorder = createRunRecorder({ ...parts, ...services, onProgress: onLeft });
  const chains = { get: row, resume: () => assert.fail() } as unknown as DurableChains;
  await assert.rejects(withEventRecording(chains, recorder).resume('run_1'), /the store is gone/);
  assert.deepEqual(left, ['run_1', 'run_1']);
});
