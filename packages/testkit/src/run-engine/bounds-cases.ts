import assert from 'node:assert/strict';
import type { RunEngine, RunWake, StateTransaction } from '@ravi/kernel';
import { newWake, numbersTo, refuses } from './run-engine-suite.ts';
import type { RunEngineSuite } from './run-engine-suite.ts';
import { startWorker } from './test-worker.ts';

const badWakes: readonly (readonly [field: RegExp, wake: Partial<RunWake>])[] = [
  [/runId.*empty/, { runId: '' }],
  [/runId.*201.*200/, { runId: 'x'.repeat(201) }],
  [/runId/, { runId: 'a\nb' }],
  [/runId/, { runId: 'a\u0085b' }],
  [/runId/, { runId: '\ud800' }],
  [/runId/, { runId: 7 as never }],
  [/group.*empty/, { group: '' }],
  [/version.*200/, { version: 'x'.repeat(300) }],
  [/priority.*-100.*100/, { priority: 101 }],
  [/priority/, { priority: 0.5 }],
  [/notBefore/, { notBefore: -1 }],
  [/notBefore/, { notBefore: Number.NaN }],
  [/notBefore/, { notBefore: Infinity }],
];

const foreign: StateTransaction = { database: 'no-such-database', run: () => Promise.reject(new Error('not called')) };

/** Cases about values out of bounds and what an engine does not support. */
export function boundsCases({ scenario, waitMs }: RunEngineSuite): void {
  scenario('wakes out of bounds are refused by name, together with those of the same call', async (engine) => {
    for (const [field, bad] of badWakes) {
      await refuses('E_ARGUMENTS_INVALID', engine.wake([newWake('good'), newWake('bad', bad)]), field);
    }
    const many = numbersTo(1_001).map((number) => newWake(`run-${number}`));
    await refuses('E_ARGUMENTS_INVALID', engine.wake(many), /1000/);
    const { ready, delayed } = await engine.figures();
    assert.deepEqual([ready, delayed], [0, 0]);
  });

  scenario('ids of any kind and length within the bounds come back as they were', async (engine) => {
    const ids = ['x'.repeat(200), 'ä/漢字 "quoted"', "'; --", '$1', '{}', ' ', 'null'];
    await engine.wake(ids.map((id) => newWake(id, { group: id, version: id })));
    await using worker = await startWorker(engine, { versions: ids, waitMs });
    await Promise.all(ids.map((id) => worker.delivery(id)));
    for (const { wake } of worker.deliveries) assert.deepEqual([wake.group, wake.version], [wake.runId, wake.runId]);
  });

  scenario('workers and signals out of bounds are refused', async (engine) => {
    const handle = (): Promise<never> => Promise.reject(new Error('not called'));
    for (const [field, worker] of [
      [/slots/, { versions: ['v1'], slots: 0 }],
      [/slots/, { versions: ['v1'], slots: 1.5 }],
      [/versions/, { versions: [], slots: 1 }],
      [/versions/, { versions: ['v1', 'v1'], slots: 1 }],
      [/version.*empty/, { versions: [''], slots: 1 }],
    ] as const) {
      await refuses('E_ARGUMENTS_INVALID', engine.work({ ...worker, handle }), field);
    }
    await refuses('E_ARGUMENTS_INVALID', engine.signal({ type: 'cancel', runId: '' }), /runId/);
    await refuses('E_ARGUMENTS_INVALID', engine.signal({ type: 'stop', runId: 'run-1' } as never), /signal/i);
    await refuses('E_ARGUMENTS_INVALID', engine.retryDead(''), /runId/);
    await refuses('E_ARGUMENTS_INVALID', engine.removeDead(''), /runId/);
    await refuses('E_ARGUMENTS_INVALID', engine.listDead({ cursor: 'no cursor' }), /cursor/);
  });

  scenario('a delay beyond its limit and a transaction that it cannot join are not supported', async (engine) => {
    const tooLate = Date.now() + engine.supports.maxDelayMs + 60_000;
    await refuses('E_UNSUPPORTED', engine.wake([newWake('run-1', { notBefore: tooLate })]), /notBefore/);
    await refuses('E_UNSUPPORTED', engine.wake([newWake('run-1')], { within: foreign }), /no-such-database/);
    assert.equal((await engine.figures()).ready, 0);
  });

  scenario('the figures of an idle engine are zero', async (engine: RunEngine) => {
    assert.deepEqual(await engine.figures(), { ready: 0, delayed: 0, taken: 0, dead: 0, groups: [] });
  });

  scenario('the figures count every wake once, and the groups with the most first', async (engine) => {
    const wakes = numbersTo(30).map((number) => newWake(`run-${number}`, { group: `group-${number % 25}` }));
    await engine.wake([...wakes, newWake('later', { notBefore: Date.now() + 3_600_000 })]);
    const { ready, delayed, taken, dead, oldestReadyMs, groups } = await engine.figures();
    assert.deepEqual({ ready, delayed, taken, dead }, { ready: 30, delayed: 1, taken: 0, dead: 0 });
    assert.ok(oldestReadyMs !== undefined && oldestReadyMs >= 0);
    assert.equal(groups.length, 20);
    assert.deepEqual(
      groups.slice(0, 6).map((group) => group.ready),
      [2, 2, 2, 2, 2, 1],
    );
  });
}
