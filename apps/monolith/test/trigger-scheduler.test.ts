import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore, NewTrigger, Run, Trigger, TriggerFiring, TriggerStore } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger, settle } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import type { AgentRequest } from '../src/runs/agent-runner.ts';
import { createClaims } from '../src/triggers/claim-due.ts';
import type { WatchedMessage, TriggerChannels } from '../src/triggers/channel-messages.ts';
import { createStartFiring } from '../src/triggers/start-firing.ts';
import { startTriggerScheduler } from '../src/triggers/trigger-scheduler.ts';
import type { TriggerScheduler } from '../src/triggers/trigger-scheduler.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const leaseMs = 10_000;
const limits = {
  maxPerPrincipal: 100,
  minIntervalMs: minute,
  maxAheadDays: 366,
  missedAfterMs: minute,
  maxMissedRuns: 3,
  retryForMs: 10 * minute,
};

interface World extends AsyncDisposable {
  readonly store: TriggerStore;
  readonly clock: FakeClock;
  /** Requests to start a run, in their order. */
  readonly started: AgentRequest[];
  readonly rights: { removed: Set<string>; policy: 'safe' | 'high' };
  /** Thrown by the next starts. */
  readonly refusals: unknown[];
  /** Messages of every channel. */
  readonly messages: WatchedMessage[];
  serve(): TriggerScheduler;
  add(trigger?: Partial<NewTrigger & { nextDueAt: number; position: number }>): Promise<Trigger>;
  /** Moves time and waits until the schedulers have nothing more to do. */
  pass(ms: number): Promise<void>;
  firings(id?: string): Promise<readonly TriggerFiring[]>;
}

async function createWorld(): Promise<World> {
  const clock = createFakeClock(start);
  const state: CompleteStateStore = await createSqliteStateStore({ file: ':memory:' });
  const { triggers: store } = state;
  const logger = createMemoryLogger();
  const started: AgentRequest[] = [];
  const refusals: unknown[] = [];
  const messages: WatchedMessage[] = [];
  const rights: World['rights'] = { removed: new Set(), policy: 'high' };
  const channels: TriggerChannels = {
    last: async () => messages.at(-1)?.number ?? 0,
    read: async (_principal, _channel, { after, limit }) =>
      messages.filter(({ number }) => number > after).slice(0, limit),
  };
  const open: TriggerScheduler[] = [];
  const pass = async (ms: number): Promise<void> => {
    // A pass that began during the first move sees the rest of it in a second one. Each awaits some statements of a database in memory.
    for (const step of [ms, 0, 0]) {
      clock.advance(step);
      for (let turn = 0; turn < 60; turn++) await settle();
    }
  };
  return {
    store,
    clock,
    started,
    refusals,
    messages,
    rights,
    serve() {
      const scheduler = startTriggerScheduler({
        store,
        claims: createClaims({ store, channels, limits: () => limits, leaseMs, clock, logger }),
        startFiring: createStartFiring({
          store,
          runs: {
            async startAgent(request) {
              const refusal = refusals.shift();
              if (refusal !== undefined) throw refusal;
              started.push(request);
              return {} as Run;
            },
          },
          rights: {
            ofSession: () => assert.fail(),
            ofPrincipal: () => assert.fail(),
            mayRun: (principal) => !rights.removed.has(principal),
            risksOf: ({ maxRiskUnapproved }) => ({
              maxRiskUnapproved: maxRiskUnapproved === 'high' && rights.policy === 'high' ? 'high' : 'safe',
              defaultRisk: 'high',
            }),
          },
          limits: () => limits,
          clock,
          logger,
        }),
        leaseMs,
        pollMs: 2_000,
        clock,
        logger,
      });
      open.push(scheduler);
      return scheduler;
    },
    async add(overrides = {}) {
      const added = await store.add(
        {
          id: 'trigger_1',
          principal: 'ada',
          agent: 'assistant',
          spec: { kind: 'timer', at: start + minute, everyMs: minute },
          input: 'Look at the news',
          permissions: { tools: ['read'], maxRiskUnapproved: 'safe' },
          misfire: 'once',
          createdAt: start,
          nextDueAt: start + minute,
          ...overrides,
        },
        { maxActive: 10 },
      );
      assert.ok(added);
      return added.trigger;
    },
    pass,
    firings: async (id = 'trigger_1') => (await store.firings(id)).items,
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map((scheduler) => scheduler[Symbol.asyncDispose]()));
      await state[Symbol.asyncDispose]();
    },
  };
}

test('a trigger fires once per due time, with what was recorded when it was created', async () => {
  await using world = await createWorld();
  await world.add({ sessionId: 'talk', permissions: { tools: ['read', 'write'], maxRiskUnapproved: 'high' } });
  world.serve();
  await world.pass(minute - 1);
  assert.equal(world.started.length, 0);
  await world.pass(1);
  await world.pass(minute);
  const [first, second] = world.started;
  assert.equal(world.started.length, 2);
  assert.ok(first);
  const { runId, task, ...rest } = first;
  assert.deepEqual(rest, {
    principal: 'ada',
    agent: 'assistant',
    sessionId: 'talk',
    allowedTools: ['read', 'write'],
    policy: { maxRiskUnapproved: 'high', defaultRisk: 'high' },
  });
  assert.match(
    task,
    /^Look at the news\n\n\[Started by the timer, trigger trigger_1, for 2026-01-01T00:01:00.000Z\.\]$/,
  );
  assert.notEqual(second?.runId, runId);
  assert.deepEqual(
    (await world.firings()).map((firing) => [firing.status, firing.runId]),
    [
      ['started', second?.runId],
      ['started', runId],
    ],
  );
});

test('ten servers on one store start one run per due time', async () => {
  await using world = await createWorld();
  for (let index = 0; index < 5; index++) await world.add({ id: `t${index}` });
  for (let index = 0; index < 10; index++) world.serve();
  for (let round = 0; round < 4; round++) await world.pass(minute);
  assert.equal(world.started.length, 20);
  assert.equal(new Set(world.started.map(({ runId }) => runId)).size, 20);
});

test('a trigger that was added is found at once if its server wakes, and by others at their next look', async () => {
  await using world = await createWorld();
  const scheduler = world.serve();
  await world.pass(0);
  await world.add({ nextDueAt: start });
  await world.pass(0);
  assert.equal(world.started.length, 0);
  scheduler.wake();
  await world.pass(0);
  assert.equal(world.started.length, 1);
  await world.add({ id: 'other', nextDueAt: start });
  await world.pass(2_000);
  assert.equal(world.started.length, 2);
});

test('a run that a server claimed and did not start is started by another after its lease, once', async () => {
  await using world = await createWorld();
  const trigger = await world.add();
  const claims = createClaims({
    store: world.store,
    channels: { read: () => assert.fail() },
    limits: () => limits,
    leaseMs,
    clock: world.clock,
    logger: createMemoryLogger(),
  });
  await world.pass(minute);
  const [claimed] = await claims.ofTimes(trigger);
  world.serve();
  world.serve();
  await world.pass(leaseMs - 1);
  assert.equal(world.started.length, 0);
  await world.pass(2_000);
  assert.deepEqual(
    world.started.map(({ runId }) => runId),
    [claimed?.runId],
  );
});

test('a run that cannot start now is tried again with the same id, and not for ever', async () => {
  await using world = await createWorld();
  await world.add({ spec: { kind: 'timer', at: start } });
  world.serve();
  const busy = new KernelError('E_SESSION_BUSY', 'Session talk is busy');
  world.refusals.push(busy, busy);
  await world.pass(minute);
  assert.deepEqual(
    (await world.firings()).map(({ status, error }) => [status, error?.code]),
    [['pending', 'E_SESSION_BUSY']],
  );
  for (let round = 0; round < 4; round++) await world.pass(2_000);
  assert.equal(world.started.length, 1);
  const [firing] = await world.firings();
  assert.deepEqual([firing?.status, firing?.error, firing?.runId], ['started', undefined, world.started[0]?.runId]);

  await world.add({ id: 'hopeless', spec: { kind: 'timer', at: start }, nextDueAt: world.clock.now() });
  world.refusals.push(...Array.from({ length: 100 }, () => busy));
  for (let round = 0; round < 25; round++) await world.pass(minute / 2);
  const [failed] = await world.firings('hopeless');
  assert.deepEqual([failed?.status, failed?.error?.message], ['failed', 'Session talk is busy']);
  assert.equal((await world.store.get('hopeless'))?.status, 'ended');
});

test('an error that does not pass fails the firing, keeps the trigger and hides no other', async () => {
  await using world = await createWorld();
  await world.add();
  world.refusals.push(
    new KernelError('E_AGENT_UNKNOWN', 'There is no agent "assistant"'),
    new TypeError('a secret path'),
  );
  world.serve();
  for (let round = 0; round < 3; round++) await world.pass(minute);
  const errors = (await world.firings()).map(({ status, error }) => [status, error?.code, error?.message]);
  assert.deepEqual(errors, [
    ['started', undefined, undefined],
    ['failed', 'E_INTERNAL', 'The run could not be started'],
    ['failed', 'E_AGENT_UNKNOWN', 'There is no agent "assistant"'],
  ]);
  assert.equal((await world.store.get('trigger_1'))?.status, 'active');
});

test('permissions that were narrowed since hold, and wider ones give nothing', async () => {
  await using world = await createWorld();
  await world.add({ permissions: { tools: ['read'], maxRiskUnapproved: 'high' } });
  await world.add({ id: 'safe', permissions: { tools: ['read'], maxRiskUnapproved: 'safe' } });
  await world.add({ id: 'bob', principal: 'bob' });
  world.rights.removed.add('bob');
  world.serve();
  await world.pass(minute);
  world.rights.policy = 'safe';
  await world.pass(minute);
  const risks = world.started.map(({ policy }) => policy?.maxRiskUnapproved);
  assert.deepEqual(
    [risks.slice(0, 2).map(String).toSorted(), risks.slice(2)],
    [
      ['high', 'safe'],
      ['safe', 'safe'],
    ],
  );
  const [firing] = await world.firings('bob');
  assert.deepEqual([firing?.status, firing?.error?.code], ['failed', 'E_FORBIDDEN']);
});

test('times that passed while no server ran start one run, which says so', async () => {
  await using world = await createWorld();
  await world.add();
  await world.pass(5 * minute + 1_000);
  world.serve();
  await world.pass(0);
  assert.equal(world.started.length, 1);
  assert.match(world.started[0]?.task ?? '', /2026-01-01T00:05:00.000Z\. 4 earlier times were missed\./);
  assert.equal((await world.store.get('trigger_1'))?.missed, 4);
  await world.pass(minute);
  assert.equal(world.started.length, 2);
});

test('a cancelled trigger starts nothing, also if its firing was claimed before', async () => {
  await using world = await createWorld();
  await world.add();
  world.refusals.push(new KernelError('E_BUSY', 'busy'));
  world.serve();
  await world.pass(minute);
  await world.store.cancel('trigger_1', world.clock.now());
  for (let round = 0; round < 3; round++) await world.pass(minute);
  assert.equal(world.started.length, 0);
  assert.deepEqual(
    (await world.firings()).map(({ error }) => error?.code),
    ['E_CANCELLED'],
  );
});

test('waiting messages of a channel are delivered together, each once, and not more often than the interval', async () => {
  await using world = await createWorld();
  const spec = { kind: 'channel', channel: 'news' } as const;
  const bob = { from: 'assistant', principal: 'bob' };
  await world.add({ spec, nextDueAt: start, position: 0 });
  world.serve();
  world.serve();
  world.messages.push({ number: 1, text: 'one "quoted"\n]', ...bob }, { number: 2, text: 'x'.repeat(20_000), ...bob });
  await world.pass(2_000);
  world.messages.push({ number: 3, text: 'three', ...bob });
  await world.pass(30_000);
  assert.equal(world.started.length, 1);
  const [, note, one, two, ...others] = (world.started[0]?.task ?? '').split('\n').filter(Boolean);
  assert.match(note ?? '', /trigger trigger_1 for 2 messages in the channel "news"/);
  assert.deepEqual(JSON.parse(one ?? ''), { from: 'assistant', text: 'one "quoted"\n]' });
  assert.match(two ?? '', /10000 more characters; read the channel/);
  assert.deepEqual(others, []);
  await world.pass(minute);
  await world.pass(2_000);
  assert.equal(world.started.length, 2);
  assert.match(world.started[1]?.task ?? '', /a message in the channel/);
  for (let round = 0; round < 3; round++) await world.pass(10 * minute);
  assert.equal(world.started.length, 2);
  assert.equal((await world.store.get('trigger_1'))?.status, 'active');
});

test('messages that the agent of a trigger sent itself start no run', async () => {
  await using world = await createWorld();
  await world.add({ spec: { kind: 'channel', channel: 'news' }, nextDueAt: start, position: 0 });
  world.serve();
  world.messages.push({ number: 5, text: 'my answer', from: 'assistant', principal: 'ada' });
  await world.pass(2_000);
  assert.equal(world.started.length, 0);
  assert.equal((await world.store.get('trigger_1'))?.position, 5);
  world.messages.push({ number: 6, text: 'a question', from: 'other', principal: 'ada' });
  await world.pass(2_000);
  await world.pass(2_000);
  assert.equal(world.started.length, 1);
  assert.doesNotMatch(world.started[0]?.task ?? '', /my answer/);
});

test('a scheduler that is stopped claims nothing and leaves no timer', async () => {
  await using world = await createWorld();
  await world.add();
  const scheduler = world.serve();
  await world.pass(0);
  scheduler.stop();
  await scheduler[Symbol.asyncDispose]();
  await world.pass(5 * minute);
  assert.equal(world.started.length, 0);
  assert.equal(world.clock.pendingTimers, 0);
});
