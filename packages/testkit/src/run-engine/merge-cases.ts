import assert from 'node:assert/strict';
import { newWake } from './run-engine-suite.ts';
import type { RunEngineSuite } from './run-engine-suite.ts';
import { hold, startWorker } from './test-worker.ts';

const hourMs = 3_600_000;

/** Cases about several wakes of one run. */
export function mergeCases({ scenario, waitMs }: RunEngineSuite): void {
  scenario('wakes of a run that no worker has taken are one', async (engine) => {
    await engine.wake([newWake('run-1'), newWake('run-1', { priority: 5 })]);
    await engine.wake([newWake('run-1', { reason: 'answered', priority: 1 })]);
    await engine.wake([newWake('run-2')]);
    assert.equal((await engine.figures()).ready, 2);
    await using worker = await startWorker(engine, { slots: 1, waitMs });
    await worker.delivery('run-2');
    assert.deepEqual(worker.runIds, ['run-1', 'run-2']);
    assert.equal(worker.deliveries[0]?.wake.priority, 5);
  });

  scenario('the earliest of merged times counts', async (engine) => {
    const later = Date.now() + hourMs;
    await engine.wake([newWake('run-1', { notBefore: later }), newWake('run-2')]);
    await engine.wake([newWake('run-1'), newWake('run-2', { notBefore: later })]);
    const { ready, delayed } = await engine.figures();
    assert.deepEqual({ ready, delayed }, { ready: 2, delayed: 0 });
    await using worker = await startWorker(engine, { waitMs });
    await Promise.all([worker.delivery('run-1'), worker.delivery('run-2')]);
  });

  scenario(
    'a wake of a run that is being handled is delivered after that, and not at the same time',
    async (engine) => {
      await using worker = await startWorker(engine, { waitMs, behave: hold });
      await engine.wake([newWake('run-1')]);
      const first = await worker.delivery('run-1');
      await engine.wake([newWake('run-1', { reason: 'answered' })]);
      await engine.wake([newWake('run-1', { reason: 'answered' }), newWake('run-2')]);
      (await worker.delivery('run-2')).end();
      assert.deepEqual(worker.runIds, ['run-1', 'run-2']);
      first.end();
      const second = await worker.delivery('run-1', 1);
      assert.equal(second.wake.reason, 'answered');
      second.end();
      await engine.wake([newWake('run-3')]);
      await worker.delivery('run-3');
      assert.equal(worker.runIds.filter((id) => id === 'run-1').length, 2);
    },
  );

  scenario('a handler that takes the run away from a dead process gets it at once, once', async (engine) => {
    await using first = await startWorker(engine, { slots: 1, waitMs, behave: hold });
    await engine.wake([newWake('run-1')]);
    const lost = await first.delivery('run-1');
    await using second = await startWorker(engine, { waitMs, behave: hold });
    await engine.wake([newWake('run-1', { reason: 'orphaned' })], { takeOver: true });
    const taken = await second.delivery('run-1');
    await first.until('the first handler is aborted', () => lost.signal.aborted);
    assert.equal(taken.signal.aborted, false);
    // The late end of the first handler is not the end of the second.
    lost.end();
    await first[Symbol.asyncDispose]();
    await engine.wake([newWake('run-1'), newWake('run-2')]);
    (await second.delivery('run-2')).end();
    assert.deepEqual([first.runIds, second.runIds], [['run-1'], ['run-1', 'run-2']]);
    taken.end();
    await second.delivery('run-1', 1);
  });
}
