import assert from 'node:assert/strict';
import { newWake, refuses } from './run-engine-suite.ts';
import type { RunEngineSuite } from './run-engine-suite.ts';
import { hold, startWorker } from './test-worker.ts';

/** Cases about signals and the end of workers and engines. */
export function lifetimeCases({ scenario, skip, waitMs, options: { connect } }: RunEngineSuite): void {
  scenario('every worker receives a signal, and one that throws does not keep it from others', async (engine) => {
    await using throwing = await engine.work({
      versions: ['v1'],
      slots: 1,
      handle: async () => ({ status: 'done' }),
      onSignal() {
        throw new Error('a defect of the worker');
      },
    });
    await using first = await startWorker(engine, { waitMs });
    await using second = await startWorker(engine, { versions: ['v2'], waitMs });
    await engine.signal({ type: 'cancel', runId: 'run-1' });
    await engine.signal({ type: 'input', runId: 'run-2' });
    for (const worker of [first, second]) {
      await worker.until('two signals', () => worker.signals.length >= 2);
      assert.deepEqual(worker.signals, [
        { type: 'cancel', runId: 'run-1' },
        { type: 'input', runId: 'run-2' },
      ]);
    }
    assert.ok(throwing);
  });

  scenario('a worker that is disposed waits for its handlers and takes nothing more', async (engine) => {
    await using first = await startWorker(engine, { waitMs, behave: hold });
    await engine.wake([newWake('run-1')]);
    const { end, signal } = await first.delivery('run-1');
    let isDisposed = false;
    const disposing = (async () => {
      await first[Symbol.asyncDispose]();
      isDisposed = true;
    })();
    await engine.wake([newWake('run-2')]);
    assert.equal(signal.aborted, false);
    end();
    await disposing;
    assert.ok(isDisposed);
    assert.deepEqual(first.runIds, ['run-1']);
    await using second = await startWorker(engine, { waitMs });
    await second.delivery('run-2');
  });

  scenario('an engine that is disposed aborts its handlers, waits for them, and refuses everything', async (engine) => {
    let isOver = false;
    const { promise: hasBegun, resolve: onBegun } = Promise.withResolvers<void>();
    await engine.work({
      versions: ['v1'],
      slots: 1,
      handle: (_wake, { signal }) =>
        new Promise((_resolve, reject) => {
          onBegun();
          signal.addEventListener('abort', () => {
            setTimeout(() => {
              isOver = true;
              reject(new Error('aborted'));
            }, 20);
          });
        }),
    });
    await engine.wake([newWake('run-1')]);
    await hasBegun;
    await Promise.all([engine[Symbol.asyncDispose](), engine[Symbol.asyncDispose]()]);
    assert.ok(isOver, 'the handler was waited for');
    const handle = (): Promise<never> => Promise.reject(new Error('not called'));
    const methods: readonly (() => Promise<unknown>)[] = [
      () => engine.wake([newWake('run-2')]),
      () => engine.work({ versions: ['v1'], slots: 1, handle }),
      () => engine.signal({ type: 'cancel', runId: 'run-1' }),
      () => engine.figures(),
      () => engine.listDead(),
      () => engine.retryDead('run-1'),
      () => engine.removeDead('run-1'),
    ];
    for (const method of methods) {
      await refuses('E_ENGINE_UNAVAILABLE', method(), /disposed/);
    }
  });

  if (connect === undefined) {
    skip('what a disposed engine had is given to another at once (skipped: its wakes end with the process)');
    return;
  }

  scenario('what a disposed engine had is given to another at once, and no attempt is counted', async (engine) => {
    const leaving = await connect(engine);
    const { promise: hasBegun, resolve: onBegun } = Promise.withResolvers<void>();
    await leaving.work({
      versions: ['v1'],
      slots: 1,
      handle: (_wake, { signal }) =>
        new Promise((_resolve, reject) => {
          onBegun();
          signal.addEventListener('abort', () => reject(new Error('handed over')));
        }),
    });
    await engine.wake([newWake('run-1')]);
    await hasBegun;
    await leaving[Symbol.asyncDispose]();
    const { ready, taken, dead } = await engine.figures();
    assert.deepEqual({ ready, taken, dead }, { ready: 1, taken: 0, dead: 0 });
    await using worker = await startWorker(engine, { waitMs });
    await worker.delivery('run-1');
  });
}
