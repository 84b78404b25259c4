import assert from 'node:assert/strict';
import { newWake } from './run-engine-suite.ts';
import type { RunEngineSuite } from './run-engine-suite.ts';
import { startWorker } from './test-worker.ts';

const soonMs = 400;

/** Cases about delays, failed attempts and dead wakes. */
export function timeCases({ scenario, waitMs }: RunEngineSuite): void {
  scenario('a wake is delivered eventually, and not before its time', async (engine) => {
    await using worker = await startWorker(engine, { waitMs });
    const notBefore = Date.now() + soonMs;
    await engine.wake([newWake('later', { notBefore }), newWake('now'), newWake('past', { notBefore: 1 })]);
    const { at } = await worker.delivery('later');
    assert.ok(at >= notBefore, `${notBefore - at} ms too early`);
    assert.deepEqual(worker.runIds.slice(0, 2).toSorted(), ['now', 'past']);
  });

  scenario('a handler that asks for another look gets one, and not before that time', async (engine) => {
    const notBefore = Date.now() + soonMs;
    let looks = 0;
    await using worker = await startWorker(engine, {
      waitMs,
      behave: ({ end }) => end((looks += 1) === 1 ? { status: 'again', notBefore } : { status: 'done' }),
    });
    await engine.wake([newWake('run-1')]);
    const { at } = await worker.delivery('run-1', 1);
    assert.ok(at >= notBefore, `${notBefore - at} ms too early`);
  });

  scenario('a run whose handler fails is delivered again, and does not keep others from their turn', async (engine) => {
    let attempts = 0;
    await using worker = await startWorker(engine, {
      slots: 1,
      waitMs,
      behave: ({ wake, end, fail }) => {
        if (wake.runId === 'broken' && (attempts += 1) < 2) fail(new Error('not yet'));
        else end();
      },
    });
    await engine.wake([newWake('broken')]);
    await worker.delivery('broken');
    await engine.wake([newWake('other')]);
    await worker.delivery('broken', 1);
    assert.deepEqual(worker.runIds, ['broken', 'other', 'broken']);
    assert.equal((await engine.figures()).dead, 0);
  });

  scenario(
    'after the last attempt a wake is dead with its reason, and can be retried or removed',
    async (engine) => {
      assert.equal(engine.supports.maxAttempts, 2);
      let isBroken = true;
      await using worker = await startWorker(engine, {
        waitMs,
        behave: ({ wake, end, fail }) => {
          if (isBroken && wake.runId !== 'good') fail(new Error(`no disk for ${wake.runId}`));
          else end();
        },
      });
      await engine.wake([newWake('one', { priority: 3 }), newWake('two')]);
      await Promise.all([worker.delivery('one', 1), worker.delivery('two', 1)]);
      await deadCount(2);
      const { items } = await engine.listDead();
      const one = items.find(({ wake }) => wake.runId === 'one');
      assert.equal(one?.error, 'no disk for one');
      assert.equal(one.attempts, 2);
      assert.equal(one.wake.priority, 3);
      assert.ok(one.diedAt > Date.UTC(2025, 0, 1));
      const { items: page, next } = await engine.listDead({ limit: 1 });
      assert.equal(page.length, 1);
      const rest = await engine.listDead({ limit: 1, cursor: next ?? '' });
      assert.deepEqual([...page, ...rest.items].map(({ wake }) => wake.runId).toSorted(), ['one', 'two']);
      assert.equal(rest.next, undefined);

      isBroken = false;
      assert.equal(await engine.retryDead('one'), true);
      assert.equal((await worker.delivery('one', 2)).wake.reason, 'retried');
      assert.equal(await engine.retryDead('one'), false);
      assert.equal(await engine.removeDead('two'), true);
      assert.equal(await engine.removeDead('two'), false);
      assert.deepEqual((await engine.listDead()).items, []);

      async function deadCount(count: number): Promise<void> {
        // The last attempt is recorded after its handler, at the latest before a later run is delivered and the figures say so.
        for (let round = 0; (await engine.figures()).dead < count; round++) {
          assert.ok(round < 100, `${count} wakes are not dead`);
          await engine.wake([newWake('good')]);
          await worker.delivery('good', round);
        }
      }
    },
    { maxAttempts: 2 },
  );

  scenario('a handler that returns something else has failed', async (engine) => {
    await using worker = await startWorker(engine, {
      waitMs,
      behave: ({ end }) => end(worker.deliveries.length > 1 ? { status: 'done' } : ('over' as never)),
    });
    await engine.wake([newWake('run-1')]);
    await worker.delivery('run-1', 1);
  });
}
