import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { RunEngine, RunWake, WakeOutcome } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createMemoryRunEngine } from '../src/index.ts';

function wake(runId: string, changes: Partial<RunWake> = {}): RunWake {
  return { runId, group: 'ada', version: 'v1', reason: 'begun', ...changes };
}

async function collect(
  engine: RunEngine,
  outcome: (wake: RunWake) => WakeOutcome | Promise<WakeOutcome> = () => ({ status: 'done' }),
): Promise<RunWake[]> {
  const taken: RunWake[] = [];
  await engine.work({
    versions: ['v1'],
    slots: 1,
    async handle(given) {
      taken.push(given);
      return outcome(given);
    },
  });
  return taken;
}

test('a delayed wake waits for its time by the clock of the engine, over the longest timers of the platform', async () => {
  const clock = createFakeClock();
  await using engine = createMemoryRunEngine({ clock });
  const taken = await collect(engine);
  const yearMs = 365 * 86_400_000;
  await engine.wake([wake('run-1', { notBefore: clock.now() + yearMs })]);
  clock.advance(yearMs - 1);
  await settle();
  assert.equal(taken.length, 0);
  clock.advance(1);
  await settle();
  assert.equal(taken.length, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('failed attempts wait longer each time, and the last one makes the wake dead', async () => {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  await using engine = createMemoryRunEngine({ clock, logger, maxAttempts: 4, random: () => 1 });
  const taken = await collect(engine, () => Promise.reject(new Error('no disk')));
  await engine.wake([wake('run-1')]);
  await settle();
  for (const [attempts, delayMs] of [
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
  ] as const) {
    assert.equal(taken.length, attempts);
    assert.equal(clock.pendingTimers, 1);
    clock.advance(delayMs - 1);
    await settle();
    assert.equal(taken.length, attempts);
    clock.advance(1);
    await settle();
  }
  assert.equal(clock.pendingTimers, 0);
  const { items } = await engine.listDead();
  assert.deepEqual(
    items.map(({ wake: { runId }, attempts, error }) => [runId, attempts, error]),
    [['run-1', 4, 'no disk']],
  );
  assert.deepEqual(logger.records.at(-1)?.fields, { runId: 'run-1', attempts: 4, error: 'no disk' });
});

test('an engine that is full refuses new runs, all of a call, and still takes wakes of those that it has', async () => {
  await using engine = createMemoryRunEngine({ maxRuns: 2 });
  await engine.wake([wake('run-1')]);
  await assert.rejects(
    engine.wake([wake('run-2'), wake('run-3')]),
    (error) => isKernelError(error, 'E_ENGINE_UNAVAILABLE') && error.retryable && /maximum is 2/.test(error.message),
  );
  assert.equal((await engine.figures()).ready, 1);
  await engine.wake([wake('run-1'), wake('run-2')]);
  await engine.wake([wake('run-2')]);
  assert.equal((await engine.figures()).ready, 2);
});

test('groups take turns, one run each', async () => {
  await using engine = createMemoryRunEngine();
  const groups = ['a', 'a', 'a', 'b', 'b', 'c'];
  await engine.wake(groups.map((group, index) => wake(`${group}-${index}`, { group })));
  const taken = await collect(engine);
  await settle();
  assert.deepEqual(
    taken.map(({ group }) => group),
    ['a', 'b', 'c', 'a', 'b', 'a'],
  );
});

test('a run that is woken often keeps its place', async () => {
  await using engine = createMemoryRunEngine();
  for (const runId of ['first', 'second', 'first', 'first']) await engine.wake([wake(runId)]);
  const taken = await collect(engine);
  await settle();
  assert.deepEqual(
    taken.map(({ runId }) => runId),
    ['first', 'second'],
  );
});

test('a disposed engine leaves no timer', async () => {
  const clock = createFakeClock();
  const engine = createMemoryRunEngine({ clock });
  await engine.wake([wake('run-1', { notBefore: clock.now() + 5_000 })]);
  assert.equal(clock.awaitedTimers, 0);
  assert.equal(clock.pendingTimers, 1);
  await engine[Symbol.asyncDispose]();
  assert.equal(clock.pendingTimers, 0);
});

test('dead wakes are bounded, and the log names those that were forgotten', async () => {
  const logger = createMemoryLogger();
  await using engine = createMemoryRunEngine({ maxAttempts: 1, logger });
  await collect(engine, () => Promise.reject(new Error('no disk')));
  const ids = Array.from({ length: 1_001 }, (_, index) => `run-${index}`);
  await engine.wake(ids.slice(0, 1_000).map((id) => wake(id)));
  await engine.wake([wake('run-1000')]);
  for (let rounds = 0; (await engine.figures()).ready > 0 && rounds < 10_000; rounds++) await settle();
  assert.equal((await engine.figures()).dead, 1_000);
  assert.ok(logger.records.some(({ message, fields }) => /forgot/.test(message) && fields?.['runId'] === 'run-0'));
  let cursor: string | undefined;
  const listed: string[] = [];
  do {
    const page = await engine.listDead({ limit: 300, ...(cursor === undefined ? {} : { cursor }) });
    listed.push(...page.items.map(({ wake: { runId } }) => runId));
    cursor = page.next;
  } while (cursor !== undefined);
  assert.deepEqual(listed, ids.slice(1));
});

test('options out of bounds are refused by name', () => {
  for (const [options, field] of [
    [{ maxRuns: 0 }, /maxRuns/],
    [{ maxAttempts: 1.5 }, /maxAttempts/],
    [{ groupLimit: -1 }, /groupLimit/],
  ] as const) {
    assert.throws(
      () => createMemoryRunEngine(options),
      (error) => isKernelError(error, 'E_ARGUMENTS_INVALID') && field.test(error.message),
    );
  }
});
