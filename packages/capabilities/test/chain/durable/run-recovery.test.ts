import assert from 'node:assert/strict';
import { createApprovalFeed } from '@ravi/approval-kit';
import { connectEngine, startRunRecovery } from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import { createMemoryRunEngine } from '@ravi/engine-memory';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { CompleteStateStore, Run, RunBlock } from '@ravi/kernel';
import { createApprovalRequest, createFakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { createWorld, valueTool } from './harness.ts';
import { startRecovery } from './recover.ts';
import type { World } from './harness.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await turn();
}

/** Stores a run that waits for approval, as another process has left it. */
async function addPaused({ runs, approvals }: CompleteStateStore, id: string, kind = 'chain'): Promise<void> {
  await runs.create({ id, principal: 'local', sessionId: id, definition: { kind }, createdAt: 1 });
  await runs.transition(id, { from: ['running'], to: 'paused', now: 1 });
  await approvals.create(createApprovalRequest({ id, runId: id, expiresAt: Date.now() + 600_000 }));
}

async function leaveRuns(world: World, ids: readonly string[]): Promise<void> {
  let waiting = 0;
  await using process = world.open({
    tools: [valueTool('wait', () => new Promise(() => void (waiting += 1)))],
  });
  for (const runId of ids) {
    const code = `await tools.wait({}); return tools.count({ run: '${runId}' })`;
    process.chains.start({ code, runId }).catch(() => {});
  }
  await until(() => waiting === ids.length);
}

test('run recovery resumes answered runs before those of ended processes', async () => {
  await using world = await createWorld();
  const { runs, approvals, processes } = world.store;
  await leaveRuns(world, ['ended-1', 'ended-2']);
  await processes.register({ id: 'ended', deadAfterMs: 60_000 });
  for (const id of ['ended-1', 'ended-2']) await runs.claim(id, { owner: 'ended' });
  await using process = world.open({ tools: [valueTool('wait', () => null)] });
  const code = "await tools.send({}); return tools.count({ run: 'answered' })";
  await process.chains.start({ code, runId: 'answered', approvals: 'pause' });
  const [asked] = (await approvals.list({ runId: 'answered' })).items;
  assert.ok(asked !== undefined);
  await approvals.decide(asked.request.id, { decision: 'approved', approver: 'grace', decidedAt: Date.now() });
  await using _recovery = await startRecovery({
    chains: process.chains,
    store: world.store,
    feed: { subscribe: () => ({ ready: Promise.resolve(), unsubscribe: () => {} }), checkNow: () => {} },
    hasEnded: (id) => id === 'ended',
    clock: createFakeClock(Date.now()),
    logger: silentLogger,
    slots: { agents: 1, scripts: 1 },
  });
  await until(() => world.effects.length === 4);
  const counted = world.effects.filter((effect) => effect.startsWith('count'));
  const order = counted.map((effect) => (JSON.parse(effect.slice('count '.length)) as { run: string }).run);
  assert.deepEqual(order, ['answered', 'ended-1', 'ended-2']);
});

test('the runs of a process that has ended are woken once, by its removal', async () => {
  await using world = await createWorld();
  const { runs, processes, wakes } = world.store;
  await leaveRuns(world, ['ended-1', 'ended-2']);
  await processes.register({ id: 'ended', deadAfterMs: 60_000 });
  for (const id of ['ended-1', 'ended-2']) await runs.claim(id, { owner: 'ended' });
  await using process = world.open({ tools: [valueTool('wait', () => null)] });
  const { chains, feed } = process;
  const sent: string[] = [];
  const send: typeof wakes.send = async (runIds, ...more) => {
    sent.push(...runIds);
    await wakes.send(runIds, ...more);
  };
  await using _recovery = await startRecovery({
    chains,
    store: { ...world.store, wakes: { ...wakes, send } },
    feed,
    hasEnded: (id) => id === 'ended',
    clock: createFakeClock(Date.now()),
    logger: silentLogger,
  });
  await until(() => world.effects.filter((effect) => effect.startsWith('count')).length === 2);
  assert.deepEqual(sent, []);
});

test('run recovery reads paused runs in slices, by one query for each, and lets other work run in between', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const { runs, approvals, journal } = world.store;
  for (let index = 0; index < 450; index += 1) {
    await addPaused(world.store, `run-${index}`, index % 2 === 0 ? 'chain' : 'agent');
  }
  let turns = 0;
  let isOver = false;
  void (async () => {
    for (; !isOver; turns += 1) await turn();
  })();
  const slices: number[] = [];
  const queries: string[] = [];
  const count = <Part extends object>(name: string, part: Part): Part =>
    new Proxy(part, {
      get(target, key) {
        const found: unknown = Reflect.get(target, key);
        if (typeof found !== 'function') return found;
        return (...args: unknown[]) => {
          if (key === 'listPaused') slices.push(turns);
          queries.push(`${name}.${String(key)}`);
          return Reflect.apply(found, target, args);
        };
      },
    });
  const store = {
    ...world.store,
    runs: count('runs', runs),
    approvals: count('approvals', approvals),
    journal: count('journal', journal),
  };
  const { chains, feed } = process;
  await using _recovery = await startRecovery({ chains, store, feed, clock: createFakeClock(), logger: silentLogger });
  await until(() => slices.length === 3);
  await turn();
  isOver = true;
  assert.deepEqual(queries, [
    'runs.listAnswered',
    'runs.listFree',
    'approvals.expire',
    'runs.listPaused',
    'runs.listPaused',
    'runs.listPaused',
  ]);
  assert.ok(
    slices.every((at, index) => index === 0 || at > (slices[index - 1] ?? 0)),
    `turns: ${slices.join(', ')}`,
  );
});

test('a script that has run before does not wait for its check again, and keeps its warnings', async () => {
  await using world = await createWorld();
  const { approvals } = world.store;
  const warnings = [{ code: 'E_SCRIPT_TYPES', message: 'This is odd' }];
  let checks = 0;
  const checkAfter = (before: () => boolean): Preflight => ({
    languages: ['javascript'],
    warm: async () => true,
    async check() {
      checks += 1;
      await until(before);
      return { mistakes: [], warnings };
    },
    [Symbol.asyncDispose]: async () => {},
  });
  {
    await using process = world.open({ preflight: checkAfter(() => true) });
    await process.chains.start({ code: "return tools.send({ to: 'a' })", runId: 'run-1', approvals: 'pause' });
  }
  const [asked] = (await approvals.list({ runId: 'run-1' })).items;
  await approvals.decide(asked?.request.id ?? '', { decision: 'approved', approver: 'grace', decidedAt: Date.now() });
  await using process = world.open({ preflight: checkAfter(() => world.effects.length > 0) });
  const result = await process.chains.resume('run-1');
  assert.deepEqual([result.status, result.warnings, checks], ['ok', warnings, 2]);
});

/** Stores a paused run of an agent with a request, and withdraws the request. */
async function pauseAgent(store: CompleteStateStore, id: string, reason: 'approval' | 'question'): Promise<void> {
  const { runs, approvals } = store;
  await runs.create({ id, principal: 'local', sessionId: id, definition: { kind: 'agent' }, createdAt: 1 });
  const event = { type: 'run-paused', runId: id, sessionId: id, questions: [], reason } as const;
  await runs.transition(id, { from: ['running'], to: 'paused', now: 1, event });
  if (reason === 'question') return;
  await approvals.create(createApprovalRequest({ id, runId: id, expiresAt: Date.now() + 600_000 }));
}

test('a run of an agent whose last request was withdrawn is resumed by the next process, and no other paused run', async () => {
  await using world = await createWorld();
  await using process = world.open();
  await pauseAgent(world.store, 'asks', 'question');
  await pauseAgent(world.store, 'waits', 'approval');
  await pauseAgent(world.store, 'withdrawn', 'approval');
  await world.store.approvals.withdraw('withdrawn', { now: 2, reason: 'The job was cancelled' });
  const resumed: string[] = [];
  const { chains, feed } = process;
  const clock = createFakeClock(Date.now());
  const resumeOther = async ({ id }: { readonly id: string }): Promise<void> => void resumed.push(id);
  await using recovery = await startRecovery({
    chains,
    store: world.store,
    feed,
    clock,
    logger: silentLogger,
    resumeOther,
  });
  await until(() => resumed.length > 0);
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.deepEqual(resumed, ['withdrawn']);
  recovery.stop();
});

test('a run that pauses just after its request was withdrawn is resumed by the next poll', async () => {
  await using world = await createWorld();
  const { runs, approvals, processes } = world.store;
  await using process = world.open();
  await runs.create({ id: 'late', principal: 'local', sessionId: 's', definition: { kind: 'agent' }, createdAt: 1 });
  await approvals.create(createApprovalRequest({ id: 'late', runId: 'late', expiresAt: Date.now() + 600_000 }));
  await processes.register({ id: 'here', deadAfterMs: 60_000 });
  await runs.claim('late', { owner: 'here' });
  const resumed: string[] = [];
  const seen: string[] = [];
  const { chains } = process;
  const clock = createFakeClock(Date.now());
  const feed = createApprovalFeed({ store: approvals, clock, logger: silentLogger, maxPollMs: 5 });
  const subscription = feed.subscribe(({ to }) => seen.push(to));
  const resumeOther = async ({ id }: { readonly id: string }): Promise<void> => void resumed.push(id);
  await using recovery = await startRecovery({
    chains,
    store: world.store,
    feed,
    clock,
    logger: silentLogger,
    resumeOther,
  });
  await subscription.ready;
  for (let turns = 0; turns < 50; turns++) await turn();
  await approvals.withdraw('late', { now: 2, reason: 'The job was cancelled' });
  feed.checkNow();
  await until(() => seen.includes('withdrawn'));
  for (let turns = 0; turns < 50; turns++) await turn();
  await runs.transition('late', { from: ['running'], to: 'paused', now: 3 });
  clock.advance(5_000);
  await until(() => resumed.length > 0);
  assert.deepEqual(resumed, ['late']);
  subscription.unsubscribe();
  recovery.stop();
});

test('a damaged run whose request was withdrawn does not keep other runs from being resumed', async () => {
  await using world = await createWorld();
  const { runs, approvals, processes } = world.store;
  await using process = world.open();
  const row = { principal: 'local', definition: { kind: 'agent' }, createdAt: 1 };
  await runs.create({ ...row, id: 'damaged', sessionId: 'a' });
  await processes.register({ id: 'dead', deadAfterMs: 60_000 });
  await runs.create({ ...row, id: 'sound', sessionId: 'b' }, { owner: 'dead' });
  await approvals.create(createApprovalRequest({ id: 'asked', runId: 'damaged', expiresAt: Date.now() + 600_000 }));
  const resumed: string[] = [];
  const seen: string[] = [];
  const clock = createFakeClock(Date.now());
  const feed = createApprovalFeed({ store: approvals, clock, logger: silentLogger, maxPollMs: 5 });
  const subscription = feed.subscribe(({ to }) => seen.push(to));
  const get: typeof process.chains.get = async (id) => {
    if (id === 'damaged') throw new KernelError('E_STATE_CORRUPT', 'The row is damaged');
    return runs.get(id);
  };
  await using recovery = await startRecovery({
    chains: { ...process.chains, get },
    store: world.store,
    feed,
    clock,
    logger: silentLogger,
    resumeOther: async ({ id }) => void resumed.push(id),
  });
  await subscription.ready;
  for (let turns = 0; turns < 50; turns++) await turn();
  await approvals.withdraw('asked', { now: 2, reason: 'The job was cancelled' });
  feed.checkNow();
  await until(() => seen.includes('withdrawn'));
  await processes.remove('dead');
  clock.advance(5_000);
  await until(() => resumed.length > 0);
  assert.deepEqual(resumed, ['sound']);
  subscription.unsubscribe();
  recovery.stop();
});

test('a run that fails to continue each time is blocked with the reason, and its retry wakes it', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const { runs, wakes } = world.store;
  await runs.create({ id: 'run', principal: 'local', sessionId: 's', definition: { kind: 'agent' }, createdAt: 1 });
  const clock = createFakeClock(Date.now());
  await using engine = createMemoryRunEngine({ clock, maxAttempts: 2, random: () => 0 });
  using _connection = await connectEngine({ store: world.store, engine });
  let attempts = 0;
  let fails = true;
  const resumeOther = async (): Promise<void> => {
    attempts += 1;
    if (fails) throw new Error('The disk is full');
  };
  const { chains, feed } = process;
  const options = { chains, store: world.store, feed, clock, logger: silentLogger, resumeOther };
  await using recovery = startRunRecovery({ engine, ...options });
  const untilLater = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    for (; !(await isTrue()); await turn()) clock.advance(100);
  };
  await untilLater(async () => (await runs.get('run'))?.status === 'blocked');
  assert.equal(attempts, 2);
  assert.match((await runs.get('run'))?.block?.message ?? '', /in 2 attempts/);
  assert.deepEqual((await engine.listDead()).items, []);
  fails = false;
  await wakes.send(['run'], 'retried');
  await untilLater(() => attempts === 3);
  assert.equal((await runs.get('run'))?.status, 'running');
  recovery.stop();
});

test('a look at a run that only another process can continue is not a failed attempt', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const { runs } = world.store;
  await runs.create({ id: 'run', principal: 'local', sessionId: 's', definition: { kind: 'agent' }, createdAt: 1 });
  const clock = createFakeClock(Date.now());
  // A failed attempt would make the wake dead.
  await using engine = createMemoryRunEngine({ clock, maxAttempts: 1 });
  using _connection = await connectEngine({ store: world.store, engine });
  let looks = 0;
  const resumed: string[] = [];
  const resumeOther = async ({ id }: Run): Promise<void> => void resumed.push(id);
  const blockOfOther = (): RunBlock | undefined =>
    (looks += 1) <= 5 ? { message: 'It lacks a tool', needs: [] } : undefined;
  const { chains, feed } = process;
  const options = { chains, store: world.store, feed, clock, logger: silentLogger, resumeOther, blockOfOther };
  await using recovery = startRunRecovery({ engine, ...options });
  for (; resumed.length === 0; await turn()) {
    clock.advance(100);
    assert.equal((await runs.get('run'))?.status, 'running');
  }
  assert.deepEqual(resumed, ['run']);
  recovery.stop();
});
