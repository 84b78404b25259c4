import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, RunWriter } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { keepProcess } from '../../src/index.ts';
import type { KeptLease } from '../../src/index.ts';
import { createTestRuns } from '../support/memory-state.ts';

const deadAfterMs = 9_000;
const hourMs = 3_600_000;

/**
 * A kept process with the run `run-1`, and the clocks: `step` sets the wall clock of the process, `stop` stops it while the store
 * continues, `pass` lets time pass for both.
 */
async function keep() {
  const fake = createFakeClock();
  const logger = createMemoryLogger();
  let wallMs = 0;
  let stoppedMs = 0;
  const store = { now: () => fake.now() + stoppedMs };
  const clock: Clock = {
    ...fake,
    now: () => store.now() + wallMs,
    monotonic: () => fake.monotonic() + stoppedMs,
  };
  const runs = createTestRuns(store);
  const calls: string[] = [];
  const lost: RunWriter[] = [];
  const failing = new Set<string>();
  async function counted<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    calls.push(name);
    if (failing.has(name)) throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone', { retryable: true });
    return work();
  }
  const processes = {
    ...runs.processes,
    register: (...args: Parameters<typeof runs.processes.register>) =>
      counted('register', () => runs.processes.register(...args)),
    beat: (id: string) => counted('beat', () => runs.processes.beat(id)),
  };
  const listed = { ...runs, listHeld: (owner: string) => counted('listHeld', () => runs.listHeld(owner)) };
  const kept = keepProcess({
    store: { processes, runs: listed },
    id: 'one',
    deadAfterMs,
    clock,
    logger,
    onLost: (writer) => void lost.push(writer),
  });

  async function begin(runId: string): Promise<{ readonly lease: KeptLease; readonly losses: () => number }> {
    let losses = 0;
    await kept.started();
    const since = clock.monotonic();
    const definition = { kind: 'chain' };
    const run = { id: runId, principal: 'ada', sessionId: 's', definition, createdAt: clock.now() };
    const { epoch } = await runs.create(run, { owner: 'one' });
    const lease = kept.hold({ runId, owner: 'one', epoch }, { since, onLost: () => void losses++ });
    return { lease, losses: () => losses };
  }

  return {
    kept,
    runs,
    calls,
    lost,
    failing,
    logger,
    begin,
    ...(await begin('run-1')),
    step: (ms: number) => void (wallMs += ms),
    stop: (ms: number) => void (stoppedMs += ms),
    async pass(ms: number) {
      fake.advance(ms);
      await settle();
    },
    async takeAway(runId: string) {
      await runs.processes.register({ id: 'two', deadAfterMs });
      return runs.claim(runId, { owner: 'two' });
    },
  };
}

test('a process registers once, and then beats every third of its time, however many runs it has', async () => {
  const { kept, begin, calls, pass, runs } = await keep();
  for (let number = 2; number <= 20; number++) await begin(`run-${number}`);
  assert.deepEqual(calls, ['register']);
  for (let third = 0; third < 6; third++) await pass(deadAfterMs / 3);
  assert.deepEqual(calls.splice(0), ['register', ...Array(6).fill(['beat', 'listHeld']).flat()]);
  assert.equal(runs.processes.isAlive('one'), true);
  await kept[Symbol.asyncDispose]();
  await pass(deadAfterMs);
  assert.deepEqual(calls, []);
  assert.deepEqual((await runs.processes.list()).items, []);
});

test('a process without runs beats too, and one that never ran anything has no record', async () => {
  const { lease, calls, pass } = await keep();
  lease[Symbol.dispose]();
  await pass(deadAfterMs / 3);
  assert.deepEqual(calls, ['register', 'beat', 'listHeld']);
  const idle = createTestRuns();
  await keepProcess({ store: { runs: idle, processes: idle.processes } })[Symbol.asyncDispose]();
  assert.deepEqual((await idle.processes.list()).items, []);
});

test('a clock that is set forward or back by an hour loses no run', async () => {
  for (const stepMs of [hourMs, -hourMs]) {
    const { lease, losses, step, pass } = await keep();
    step(stepMs);
    // The clock may also have jumped because the machine was suspended, so the store is asked.
    assert.equal(lease.isCertain, stepMs < 0);
    assert.equal(await lease.confirm(), true);
    assert.deepEqual([lease.isCertain, lease.isLost, losses()], [true, false, 0]);
    step(-stepMs);
    await pass(deadAfterMs / 3);
    assert.deepEqual([lease.isCertain, losses()], [true, 0]);
  }
});

test('after a stop no run is certain before the store has confirmed it', async () => {
  const { lease, stop, runs, logger } = await keep();
  stop(deadAfterMs);
  assert.deepEqual([lease.isCertain, lease.isLost, runs.processes.isAlive('one')], [false, false, false]);
  assert.equal(await lease.confirm(), true);
  assert.equal(lease.isCertain, true);
  const [process] = (await runs.processes.list()).items;
  assert.deepEqual([process?.epoch, process?.isAlive], [2, true]);
  assert.equal(logger.records.filter(({ message }) => message === 'this process had counted as dead').length, 1);
});

test('a process that comes back tells the runs that it lost, once each, and continues the others', async () => {
  const { lease, losses, lost, begin, stop, pass, takeAway, calls } = await keep();
  const other = await begin('run-2');
  stop(deadAfterMs);
  assert.equal((await takeAway('run-1'))?.epoch, 2);
  await pass(deadAfterMs / 3);
  assert.deepEqual([lease.isLost, lease.isCertain, losses()], [true, false, 1]);
  assert.deepEqual(lost, [{ runId: 'run-1', owner: 'one', epoch: 1 }]);
  assert.deepEqual([other.lease.isLost, other.lease.isCertain, other.losses()], [false, true, 0]);
  calls.length = 0;
  assert.equal(await lease.confirm(), false);
  assert.deepEqual(calls, []);
});

test('the loss of a run that another process has ended is reported, although this one was never dead', async () => {
  const { lease, losses, runs, pass } = await keep();
  await runs.transition('run-1', { from: ['running'], to: 'cancelled', now: 0 });
  await pass(deadAfterMs / 3);
  assert.deepEqual([lease.isLost, losses()], [true, 1]);
});

test('a run that this process has and does not execute is given back, however often the store is asked', async () => {
  const { lease, runs, pass, logger } = await keep();
  const run = { id: 'run-2', principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 0 };
  await runs.create(run, { owner: 'one' });
  const owner = async (id: string): Promise<string | undefined> => (await runs.get(id))?.owner;
  for (let times = 0; times < 10; times++) await lease.confirm();
  for (let third = 0; third < 19; third++) await pass(deadAfterMs / 3);
  assert.equal(await owner('run-2'), 'one', 'it may be about to be executed');
  await pass(deadAfterMs / 3);
  assert.deepEqual([await owner('run-2'), await owner('run-1')], [undefined, 'one']);
  assert.ok(logger.records.some(({ message }) => message === 'gave back a run that nothing here executes'));
});

test('a run that was taken while its process counted as dead is not certain before it was compared', async () => {
  const { kept, runs, stop, takeAway } = await keep();
  stop(deadAfterMs);
  const { epoch } = await runs.create(
    { id: 'run-2', principal: 'ada', sessionId: 's', definition: { kind: 'chain' }, createdAt: 0 },
    { owner: 'one' },
  );
  assert.equal((await takeAway('run-2'))?.epoch, 2);
  let losses = 0;
  const late = kept.hold({ runId: 'run-2', owner: 'one', epoch }, { onLost: () => void losses++ });
  assert.equal(late.isCertain, false);
  assert.equal(await late.confirm(), false);
  assert.equal(losses, 1);
});

test('confirmations at the same time are one question to the store', async () => {
  const { lease, begin, calls } = await keep();
  const other = await begin('run-2');
  calls.length = 0;
  assert.deepEqual(await Promise.all([lease, other.lease, lease].map((each) => each.confirm())), [true, true, true]);
  assert.deepEqual(calls, ['beat', 'listHeld']);
});

test('a store that is unavailable leaves the runs as they are, and is asked again', async () => {
  for (const name of ['beat', 'listHeld']) {
    const { lease, losses, failing, pass, calls, logger } = await keep();
    failing.add(name);
    for (let third = 0; third < 3; third++) await pass(deadAfterMs / 3);
    assert.deepEqual([lease.isLost, lease.isCertain, losses()], [false, false, 0]);
    assert.equal(calls.filter((call) => call === name).length, 3);
    assert.equal(
      logger.records.filter(({ message }) => message === 'this process could not say that it lives').length,
      3,
    );
    failing.clear();
    await pass(deadAfterMs / 3);
    assert.deepEqual([lease.isLost, lease.isCertain], [false, true]);
  }
});

test('a process whose record was removed registers again with what is known of it', async () => {
  const { kept, lease, runs, pass } = await keep();
  await kept.describe({ address: 'http://10.0.0.7:7341', version: '2.0.0' });
  await runs.processes.remove('one');
  await pass(deadAfterMs / 3);
  const [process] = (await runs.processes.list()).items;
  assert.deepEqual([process?.address, process?.version], ['http://10.0.0.7:7341', '2.0.0']);
  assert.deepEqual([lease.isLost, lease.isCertain], [false, true]);
});

test('a description that could not be stored is stored by the next heartbeat', async () => {
  const { kept, runs, failing, pass } = await keep();
  failing.add('register');
  await assert.rejects(kept.describe({ version: '2.0.0' }), (error) => isKernelError(error, 'E_STATE_UNAVAILABLE'));
  failing.clear();
  await pass(deadAfterMs / 3);
  assert.equal((await runs.processes.list()).items[0]?.version, '2.0.0');
});

test('a process that has ended starts nothing', async () => {
  const { kept, lease, stop } = await keep();
  stop(deadAfterMs);
  await kept[Symbol.asyncDispose]();
  await assert.rejects(kept.describe({ version: '2.0.0' }), (error) => isKernelError(error, 'E_RUN_SUSPENDED'));
  await assert.rejects(lease.confirm(), (error) => isKernelError(error, 'E_RUN_SUSPENDED'));
});
