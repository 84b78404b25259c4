import assert from 'node:assert/strict';
import { newWake, numbersTo } from './run-engine-suite.ts';
import type { RunEngineSuite } from './run-engine-suite.ts';
import { hold, startWorker } from './test-worker.ts';

/** Cases about the order in which runs are handled, and how many at once. */
export function turnCases({ scenario, waitMs }: RunEngineSuite): void {
  scenario('a worker has no more handlers at once than slots, and handles everything', async (engine) => {
    await engine.wake(numbersTo(9).map((number) => newWake(`run-${number}`)));
    await using worker = await startWorker(engine, { slots: 3, waitMs, behave: hold });
    for (const number of numbersTo(9)) {
      await worker.until(`delivery ${number + 1}`, () => worker.deliveries.length > number);
      const { taken } = await engine.figures();
      assert.ok(taken <= 3, `${taken} are taken`);
      worker.deliveries[number]?.end();
      await worker.until('the slot is used again', () => worker.deliveries.length >= Math.min(9, number + 4));
    }
    assert.equal(worker.mostAtOnce, 3);
    assert.equal(new Set(worker.runIds).size, 9);
  });

  scenario('a worker gets only runs of its versions', async (engine) => {
    await engine.wake([newWake('old', { version: 'v1' }), newWake('new', { version: 'v2' })]);
    await using second = await startWorker(engine, { versions: ['v2'], waitMs });
    await second.delivery('new');
    await engine.wake([newWake('newer', { version: 'v2' })]);
    await second.delivery('newer');
    assert.deepEqual(second.runIds, ['new', 'newer']);
    await using both = await startWorker(engine, { versions: ['v0', 'v1'], waitMs });
    await both.delivery('old');
  });

  scenario('within a group the highest priority is first, then the oldest', async (engine) => {
    const wakes = [newWake('second'), newWake('last', { priority: -5 }), newWake('first', { priority: 10 })];
    for (const wake of wakes) await engine.wake([wake]);
    await engine.wake([newWake('third')]);
    await using worker = await startWorker(engine, { slots: 1, waitMs });
    await worker.delivery('last');
    assert.deepEqual(worker.runIds, ['first', 'second', 'third', 'last']);
  });

  scenario('a group with 1,000 runs does not delay the 10 of another', async (engine) => {
    await engine.wake(numbersTo(1_000).map((number) => newWake(`many-${number}`, { group: 'many' })));
    await engine.wake(numbersTo(10).map((number) => newWake(`few-${number}`, { group: 'few' })));
    await using worker = await startWorker(engine, { slots: 4, waitMs });
    await worker.until('60 deliveries', () => worker.deliveries.length >= 60);
    const served = worker.runIds.slice(0, 60).filter((id) => id.startsWith('few-'));
    assert.equal(served.length, 10);
  });

  scenario(
    'no more runs of a group are handled at once than its limit, and others are not delayed by it',
    async (engine, context) => {
      if (engine.supports.groupLimit === undefined) return void context.skip('the engine has no limit of groups');
      const wakes = numbersTo(6).map((number) => newWake(`ada-${number}`));
      await engine.wake([...wakes, newWake('bob', { group: 'bob' })]);
      await using worker = await startWorker(engine, { slots: 6, waitMs, behave: hold });
      await worker.delivery('bob');
      for (const number of numbersTo(6)) {
        await worker.until('the group has its limit', () => ofAda().length >= Math.min(6, number + 2));
        const { groups } = await engine.figures();
        const ada = groups.find(({ group }) => group === 'ada');
        assert.ok((ada?.taken ?? 0) <= 2, `${ada?.taken} runs of the group are taken`);
        ofAda()[number]?.end();
      }

      function ofAda(): typeof worker.deliveries {
        return worker.deliveries.filter(({ wake }) => wake.group === 'ada');
      }
    },
    { groupLimit: 2 },
  );
}
