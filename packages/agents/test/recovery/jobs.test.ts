import assert from 'node:assert/strict';
import { defineTool, KernelError } from '@ravi/kernel';
import type { ApprovalHandler, Job, ModelMessage, ModelProvider, ModelRequest, Tool } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, pairingProblems, settle } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import type { AgentOptions, AgentResult } from '../../src/index.ts';
import { createTestJobs } from '../support/memory-state.ts';
import { createWorld, start, where } from '../support/recovery-world.ts';
import type { RecoveryWorld } from '../support/recovery-world.ts';

interface JobWorld extends RecoveryWorld {
  readonly jobs: ReturnType<typeof createTestJobs>;
  /** Number of executions of `build`. */
  readonly builds: number;
  /** True while executions of `build` do not end. */
  hangs: boolean;
  readonly options: Partial<AgentOptions>;
}

/** Creates a world with a tool `build`, whose calls become jobs. */
function createJobWorld(more: Partial<Tool>): JobWorld {
  const world = createWorld();
  const jobs = createTestJobs();
  const state = { builds: 0, hangs: true };
  const build = defineTool({
    name: 'build',
    description: 'Builds',
    mode: 'background',
    inputSchema: { type: 'object' },
    ...more,
    execute: (_, { signal }) => {
      state.builds++;
      if (!state.hangs) return Promise.resolve('42 files');
      return new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  return Object.assign(state, { ...world, jobs, options: { jobs, tools: [...world.office.tools, build] } });
}

const waiting: ModelProvider = {
  id: 'waiting',
  async *stream() {
    await new Promise(() => {});
  },
};

const calling = (name: string): ScriptedTurn => ({ toolCalls: [{ name }] });

/** Starts a run and returns when the model knows of its job. */
async function killWithJob(world: JobWorld, signal?: AbortSignal): Promise<{ readonly ended: Promise<unknown> }> {
  const first = createScriptedModel([calling('build')]);
  let steps = 0;
  const model: ModelProvider = {
    id: 'first',
    stream: (...request) => (steps++ === 0 ? first : waiting).stream(...request),
  };
  const more = signal === undefined ? {} : { signal };
  const ended = world.process(model, world.options).run('go', { ...where, ...more });
  while (steps < 2) await new Promise(setImmediate);
  return { ended };
}

const textsOf = (messages: readonly ModelMessage[]): string => JSON.stringify(messages);
const rowOf = ({ jobs }: JobWorld): Job => [...jobs.all.values()][0] as Job;

test('a job of a safe tool is started again in the process that recovers its run, under the same id', async () => {
  const world = createJobWorld({ risk: 'safe' });
  await killWithJob(world);
  const { id, callId, status } = rowOf(world);
  assert.deepEqual([callId, status], ['call-1-1', 'running']);
  world.hangs = false;
  const model = createScriptedModel([{ text: 'Working on it' }, { text: 'Built' }]);
  const result = await world.process(model, world.options).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.text, world.builds], ['completed', 'Built', 2]);
  assert.match(
    textsOf(result.messages),
    new RegExp(`The job ${id} of build \\(call call-1-1\\) is completed:\\\\n42 files`),
  );
  assert.deepEqual(pairingProblems(result.messages), []);
  assert.deepEqual([world.jobs.all.size, rowOf(world).status], [1, 'completed']);
});

test('a job with side effects that was running is not repeated, and the model reads that its outcome is unknown', async () => {
  const world = createJobWorld({ risk: 'high' });
  await killWithJob(world);
  world.hangs = false;
  const model = createScriptedModel([{ text: 'Working on it' }, { text: 'I checked' }]);
  const result = await world.process(model, world.options).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.text, world.builds], ['completed', 'I checked', 1]);
  assert.match(
    textsOf(result.messages),
    /is failed:\\nThe process ended while build was running\. Its outcome is unknown/,
  );
  const { status, error } = rowOf(world);
  assert.deepEqual([status, error?.code], ['failed', 'E_CALL_UNKNOWN']);
});

test('a job of an idempotent tool is started again as the next attempt of its call', async () => {
  const world = createJobWorld({ risk: 'high', idempotent: true });
  await killWithJob(world);
  world.hangs = false;
  const model = createScriptedModel([{ text: 'Working on it' }, { text: 'Built' }]);
  const result = await world.process(model, world.options).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.text, world.builds], ['Built', 2]);
  assert.deepEqual(
    world.journal.writes.map(({ kind, entry: { attempt = 1, idempotencyKey } }) => [kind, attempt, idempotencyKey]),
    [
      ['started', 1, 'run_1:call-1-1'],
      ['started', 2, 'run_1:call-1-1'],
      ['finished', 2, 'run_1:call-1-1'],
    ],
  );
});

test('a direct call of an idempotent tool is made again after an orderly shutdown too', async () => {
  const world = createJobWorld({ risk: 'high', idempotent: true, mode: 'direct' });
  const ending = new AbortController();
  const running = world
    .process(createScriptedModel([calling('build')]), world.options)
    .run('go', { ...where, signal: ending.signal });
  while (world.builds === 0) await new Promise(setImmediate);
  shutDown(ending);
  await running;
  world.hangs = false;
  const next = world.process(createScriptedModel([{ text: 'Built' }]), {
    ...world.options,
    clock: createFakeClock(start),
  });
  const result = await next.recover(world.row(), world.recovery).result;
  assert.deepEqual([result.text, world.builds], ['Built', 2]);
  assert.match(textsOf(result.messages), /42 files/);
});

function shutDown(ending: AbortController): void {
  const cause = new KernelError('E_RUN_SUSPENDED', 'The process is shutting down');
  ending.abort(new KernelError('E_CANCELLED', 'The process is shutting down', { cause }));
}

test('an orderly shutdown leaves a job running for the next process', async () => {
  const world = createJobWorld({ risk: 'safe' });
  const ending = new AbortController();
  const { ended } = await killWithJob(world, ending.signal);
  shutDown(ending);
  await ended;
  assert.deepEqual([world.row().status, rowOf(world).status], ['running', 'running']);
  assert.doesNotMatch(textsOf(world.history.entries.map(({ message }) => message)), /was stopped/);
  world.hangs = false;
  const model = createScriptedModel([{ text: 'Working on it' }, { text: 'Built' }]);
  const next = world.process(model, { ...world.options, clock: createFakeClock(start) });
  const result = await next.recover(world.row(), world.recovery).result;
  assert.deepEqual([result.text, rowOf(world).status], ['Built', 'completed']);
});

test('a job that had finished delivers its stored result once, also in a third process', async () => {
  const world = createJobWorld({ risk: 'safe' });
  await killWithJob(world);
  const { id, version } = rowOf(world);
  const result = { status: 'ok', text: 'stored', files: [] };
  await world.jobs.update(id, version, { status: 'completed', result, now: start });
  let requests = 0;
  const answering = createScriptedModel([{ text: 'Working on it' }]);
  const model: ModelProvider = {
    id: 'second',
    stream: (...request) => (requests++ === 0 ? answering : waiting).stream(...request),
  };
  void world.process(model, world.options).recover(world.row(), world.recovery);
  while (requests < 2) await new Promise(setImmediate);
  const last = createScriptedModel([{ text: 'Built' }]);
  const third = await world.process(last, world.options).recover(world.row(), world.recovery).result;
  assert.deepEqual([third.text, world.builds], ['Built', 1]);
  assert.equal(textsOf(third.messages).split('stored').length - 1, 1);
});

test('a job that was cancelled while no process had its run is not started, and the model reads why', async () => {
  const world = createJobWorld({ risk: 'safe' });
  await killWithJob(world);
  const { id, version } = rowOf(world);
  const error = { code: 'E_CANCELLED', message: 'The job was cancelled', retryable: false };
  await world.jobs.update(id, version, { status: 'cancelled', error, now: start });
  const model = createScriptedModel([{ text: 'Working on it' }, { text: 'Without it' }]);
  const result = await world.process(model, world.options).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.text, world.builds], ['Without it', 1]);
  assert.match(textsOf(result.messages), /is cancelled:\\nThe job was cancelled/);
});

test('a job that the model had not heard of keeps its record when its call is made again', async () => {
  const world = createJobWorld({ risk: 'safe' });
  const append = world.history.append.bind(world.history);
  // The process ends before the message with the id of the job is stored.
  let appends = 0;
  world.history.append = (...entries) => (appends++ < 2 ? append(...entries) : new Promise(() => {}));
  void world.process(createScriptedModel([calling('build')]), world.options).run('go', where);
  while (world.jobs.all.size === 0 || rowOf(world).status !== 'running') await new Promise(setImmediate);
  const { id } = rowOf(world);
  const again = createScriptedModel([{ text: 'Built' }]);
  world.hangs = false;
  world.history.append = append;
  const result = await world.process(again, world.options).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.text, world.builds], ['Built', 2]);
  assert.deepEqual([...world.jobs.all.keys()], [id]);
  assert.equal(rowOf(world).status, 'completed');
});

test('a run that waits with wait_job for the approval of a job pauses once the request is stored, and wait_job returns the result', async () => {
  const world = createJobWorld({ risk: 'critical' });
  world.hangs = false;
  const clock = createFakeClock(start);
  let store = (): void => {};
  const undecided: ApprovalHandler = {
    request(_request, { onStored = store }) {
      store = onStored;
      return new Promise<never>(() => {});
    },
  };
  const pausing = { ...world.options, approvals: 'pause' } as const;
  const waitForJob = ({ messages }: ModelRequest): ScriptedTurn => {
    const [id = ''] = /job_[\w-]+/.exec(textsOf(messages)) ?? [];
    return { toolCalls: [{ name: 'wait_job', arguments: { id } }] };
  };
  const first = createScriptedModel([calling('build'), waitForJob]);
  const options = { ...pausing, clock, approvalHandler: undecided };
  let paused: AgentResult | undefined;
  void world
    .process(first, options)
    .run('go', where)
    .then((result) => (paused = result));
  for (let turn = 0; turn < 20; turn++) {
    await settle();
    clock.advance(100);
  }
  assert.equal(world.row().status, 'running');
  store();
  while (paused === undefined) {
    await settle();
    clock.advance(100);
  }
  assert.deepEqual([paused.status, paused.reason, paused.approvals?.[0]?.callId], ['paused', 'approval', 'call-1-1']);
  assert.deepEqual([world.row().status, rowOf(world).status, world.builds], ['paused', 'running', 0]);

  const approving = { ...pausing, approvalHandler: { request: async () => ({ decision: 'approved' }) as const } };
  const next = world.process(createScriptedModel([{ text: 'Built' }]), approving);
  const result = await next.recover(world.row(), world.recovery).result;
  assert.deepEqual([result.text, world.builds], ['Built', 1]);
  assert.match(resultsOf(result.messages), /is completed:\\n42 files/);
  assert.deepEqual(pairingProblems(result.messages), []);
});

// A request that an earlier process stored may be decided before this one has reported that it is stored.
test.each([
  ['that it waited for', ['onStored', 'onDecided']],
  ['of an earlier process', ['onDecided', 'onStored']],
] as const)('a run does not pause while the decision %s is consumed', async (_whose, reports) => {
  const world = createJobWorld({ risk: 'critical' });
  const clock = createFakeClock(start);
  const consuming: ApprovalHandler = {
    request(_request, options) {
      for (const report of reports) options[report]?.();
      return new Promise<never>(() => {});
    },
  };
  const options = { ...world.options, clock, approvals: 'pause', approvalHandler: consuming } as const;
  void world.process(createScriptedModel([calling('build'), { text: 'Waiting' }]), options).run('go', where);
  for (let turn = 0; turn < 20; turn++) {
    await settle();
    clock.advance(100);
  }
  assert.equal(world.row().status, 'running');
});

test('a job of a run that pauses is not stopped in memory, so that it is cancelled with its question', async () => {
  const world = createJobWorld({ risk: 'critical' });
  const clock = createFakeClock(start);
  const undecided: ApprovalHandler = {
    request(_request, { onStored }) {
      onStored?.();
      return new Promise<never>(() => {});
    },
  };
  const pausing = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const runs = {
    ...world.runs,
    async transition(...[id, change]: Parameters<typeof world.runs.transition>) {
      if (change.to === 'paused') {
        pausing.resolve();
        await allowed.promise;
      }
      return world.runs.transition(id, change);
    },
  };
  const options = { ...world.options, runs, clock, approvals: 'pause', approvalHandler: undecided } as const;
  const stream = world
    .process(createScriptedModel([calling('build'), { text: 'Waiting' }]), options)
    .stream('go', where);
  let isPausing = false;
  void pausing.promise.then(() => (isPausing = true));
  while (!isPausing) {
    await settle();
    clock.advance(100);
  }
  assert.deepEqual([stream.isLeaving, stream.stopJob(rowOf(world).id)], [true, false]);
  allowed.resolve();
  assert.equal((await stream.result).status, 'paused');
  assert.deepEqual([world.row().status, rowOf(world).status], ['paused', 'running']);
});

const resultsOf = (messages: readonly ModelMessage[]): string =>
  JSON.stringify(messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result')));
