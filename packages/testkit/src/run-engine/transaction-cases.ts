import assert from 'node:assert/strict';
import { newWake } from './run-engine-suite.ts';
import type { RunEngineSuite } from './run-engine-suite.ts';
import { startWorker } from './test-worker.ts';

/** Cases about wakes within transactions of a state store, and about what an engine stores. */
export function transactionCases({ scenario, skip, waitMs, options }: RunEngineSuite): void {
  const { transaction, content } = options;
  if (transaction === undefined) {
    skip('wakes are part of a transaction (skipped: the engine cannot join one)');
  } else {
    scenario('wakes within a transaction exist after its commit, and not after a rollback', async (engine) => {
      assert.ok(engine.supports.transactions);
      await using worker = await startWorker(engine, { waitMs });
      const failure = new Error('the run is not stored');
      const failed = transaction(engine, async (within) => {
        await engine.wake([newWake('never'), newWake('never-2', { version: 'new-version' })], { within });
        throw failure;
      });
      await assert.rejects(failed, failure);
      await transaction(engine, (within) => engine.wake([newWake('run-1')], { within }));
      await worker.delivery('run-1');
      const { ready, delayed } = await engine.figures();
      assert.deepEqual([ready, delayed, worker.runIds], [0, 0, ['run-1']]);
    });

    scenario('a wake that merges with an earlier one is not taken for delivered before its commit', async (engine) => {
      await engine.wake([newWake('run-1')]);
      const { promise: isMerged, resolve: onMerged } = Promise.withResolvers<void>();
      const { promise: mayCommit, resolve: allowCommit } = Promise.withResolvers<void>();
      const committed = transaction(engine, async (within) => {
        await engine.wake([newWake('run-1', { reason: 'answered' })], { within });
        onMerged();
        await mayCommit;
      });
      await Promise.race([isMerged, committed]);
      await using worker = await startWorker(engine, { waitMs });
      await engine.wake([newWake('run-2')]);
      await worker.delivery('run-2');
      const before = worker.runIds.filter((id) => id === 'run-1').length;
      allowCommit();
      await committed;
      await worker.delivery('run-1', before);
    });

    scenario('transactions that wake the same runs do not block each other for good', async (engine) => {
      const ids = ['run-1', 'run-2', 'run-3'];
      const rounds = Array.from({ length: 8 }, (_, round) => (round % 2 === 0 ? ids : ids.toReversed()));
      await Promise.all(
        rounds.map((round) =>
          transaction(engine, (within) =>
            engine.wake(
              round.map((id) => newWake(id)),
              { within },
            ),
          ),
        ),
      );
      assert.equal((await engine.figures()).ready, 3);
    });
  }

  if (content === undefined) {
    skip('an engine stores ids only (skipped: nothing shows what it stores)');
    return;
  }
  scenario(
    'an engine stores ids and reasons of failures, and nothing else of a run',
    async (engine) => {
      const planted = 'swordfish-arguments';
      const extra = { input: planted, arguments: { query: planted }, details: { prompt: planted } };
      await using worker = await startWorker(engine, {
        waitMs,
        behave: ({ wake, end, fail }) => {
          if (wake.runId === 'dead') fail(Object.assign(new Error('no disk'), { result: planted }));
          else end({ status: 'done', result: planted } as never);
        },
      });
      await engine.wake([
        { ...newWake('dead'), ...extra },
        { ...newWake('later', { notBefore: Date.now() + 3_600_000 }), ...extra },
        { ...newWake('done'), ...extra },
      ]);
      await Promise.all([worker.delivery('dead'), worker.delivery('done')]);
      const stored = await content(engine);
      assert.match(stored, /later/);
      assert.doesNotMatch(stored, new RegExp(planted));
    },
    { maxAttempts: 1 },
  );
}
