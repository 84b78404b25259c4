import assert from 'node:assert/strict';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { Run } from '@ravi/kernel';
import { afterAll, test } from 'vitest';
import { answer } from './decisions.ts';
import { createWorld, sandbox } from './harness.ts';
import { startRecovery } from './recover.ts';
import type { World } from './harness.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

const approvals = 'pause';

async function ended({ store }: World, runId: string): Promise<Run> {
  for (;;) {
    const run = await store.runs.get(runId);
    if (run?.outcome !== undefined) return run;
    await new Promise(setImmediate);
  }
}

test('run recovery: a decision from any process resumes the run that waits for it', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const { chains, feed } = process;
  await using _keeper = await startRecovery({
    chains,
    store: world.store,
    feed,
    clock: systemClock,
    logger: silentLogger,
  });
  for (const runId of ['run-1', 'run-2']) {
    await chains.start({ code: "return tools.send({ to: 'a' })", runId, approvals });
  }
  await answer(world, 'a', {}, 'run-2');
  assert.equal((await ended(world, 'run-2')).status, 'completed');
  assert.equal((await world.store.runs.get('run-1'))?.status, 'paused');
  await answer(world, 'a', { decision: 'denied' });
  assert.equal((await ended(world, 'run-1')).status, 'failed');
});

test('run recovery: a decision without a notification is found', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const { chains } = process;
  const subscription = { ready: Promise.resolve(), unsubscribe: () => {} };
  const deaf = { subscribe: () => subscription, checkNow: () => {} };
  const options = { chains, store: world.store, feed: deaf, clock: systemClock, logger: silentLogger, intervalMs: 1 };
  await using _keeper = await startRecovery(options);
  await chains.start({ code: "return tools.send({ to: 'a' })", runId: 'run-1', approvals });
  await answer(world, 'a');
  assert.equal((await ended(world, 'run-1')).status, 'completed');
});

test('run recovery: runs that were decided or interrupted while no process ran resume at the start', async () => {
  await using world = await createWorld();
  {
    await using process = world.open();
    await process.chains.start({ code: "return tools.send({ to: 'a' })", runId: 'run-1', approvals });
    await answer(world, 'a');
    const cut = process.chains.start({ code: 'await sleep(60_000).catch(() => {}); return 1', runId: 'run-2' });
    cut.catch(() => {});
    while ((await world.store.journal.entries('run-2')).items.length === 0) await new Promise(setImmediate);
  }
  const clock = { ...systemClock, now: () => systemClock.now() + 120_000 };
  await using process = world.open({ clock });
  const { chains, feed } = process;
  await using _keeper = await startRecovery({ chains, store: world.store, feed, clock, logger: silentLogger });
  const runs = await Promise.all([ended(world, 'run-1'), ended(world, 'run-2')]);
  assert.deepEqual(
    runs.map(({ status }) => status),
    ['completed', 'completed'],
  );
  assert.deepEqual(world.effects, ['send {"to":"a"}']);
});
