import assert from 'node:assert/strict';
import type { AgentEvent, ReActAgent } from '@ravi/agents';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { HookManager } from '@ravi/invoker';
import { isKernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { Run, RunStore } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { createAgentRunner } from '../src/runs/agent-runner.ts';
import { createRunRecorder } from '../src/runs/run-recorder.ts';

const scope = { runId: 'run_1', sessionId: 's' } as const;
const lease = { owner: 'one', leaseMs: 60_000 };

/** Stands for an agent: each recovery says one sentence and pauses again. */
function createPausingAgent(runs: RunStore): ReActAgent {
  async function attempt(run: Run, observers: readonly ((event: AgentEvent) => void)[]): Promise<object> {
    const claimed = await runs.claim(run.id, lease);
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

test('a run that is woken while the log of its last attempt closes loses no event of the next one', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const services = { clock: systemClock, logger: silentLogger };
  const hooks = new HookManager(services);
  const blobStore = createMemoryBlobStore(services);
  await using recorder = createRunRecorder({ hooks, store, blobStore, ...services });
  // As if artifacts of another run were still being pinned.
  let pinned = Promise.withResolvers<void>();
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
  await using runner = createAgentRunner({ agent, recorder: slow, stores: { journal, approvals }, lifetime });
  const definition = { kind: 'agent', details: { agent: 'ravi', task: 'go' } };
  await store.runs.create({ id: 'run_1', principal: 'ada', sessionId: 's', createdAt: 1, definition }, lease);
  await store.runs.transition('run_1', { from: ['running'], to: 'paused', now: 1 });
  const row = async (): Promise<Run> => (await store.runs.get('run_1')) as Run;

  const first = await runner.recover(await row());
  while ((await row()).status !== 'paused') await new Promise(setImmediate);
  await assert.rejects(runner.recover(await row()), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  pinned.resolve();
  await first.result;
  pinned = Promise.withResolvers<void>();
  pinned.resolve();
  await (
    await runner.recover(await row())
  ).result;
  assert.deepEqual(
    (await recorder.read('run_1')).map(({ id, type }) => `${id} ${type}`),
    ['2.1 run-start', '2.2 model-text', '2.3 run-paused', '3.1 run-start', '3.2 model-text', '3.3 run-paused'],
  );
});
