import assert from 'node:assert/strict';
import type { NewJob } from '@ravi/kernel';
import { newRun, rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const holder = { owner: 'process-1' };

const newJob = (id: string, runId: string): NewJob => ({
  id,
  runId,
  principal: 'ada',
  sessionId: 'session-1',
  kind: 'tool',
  createdAt: 1,
});

/** Cases about the cancellation of what another process executes. */
export function cancellationCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('cancellations', 'jobs');

  scenario('the owner of a run finds the request to cancel it, and no other process does', async (store) => {
    const { runs, cancellations } = store;
    await runs.create(newRun('run-1'), holder);
    await runs.create(newRun('run-2'), { owner: 'process-2' });
    assert.equal(await cancellations.request({ runId: 'run-1', requestedAt: 5 }), true);
    // Again, which changes nothing.
    assert.equal(await cancellations.request({ runId: 'run-1', requestedAt: 9 }), true);
    assert.deepEqual(await cancellations.list('process-1'), [{ runId: 'run-1', requestedAt: 5 }]);
    assert.deepEqual(await cancellations.list('process-2'), []);
  });

  scenario('the next owner of a run finds the request, and every process finds it for a paused run', async (store) => {
    const { runs, cancellations } = store;
    await runs.create(newRun('run-1'), holder);
    await cancellations.request({ runId: 'run-1', requestedAt: 5 });
    await runs.release('run-1', 'process-1');
    assert.deepEqual(await cancellations.list('process-1'), []);
    await runs.claim('run-1', { owner: 'process-2' });
    assert.deepEqual(await cancellations.list('process-2'), [{ runId: 'run-1', requestedAt: 5 }]);
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: 6 });
    for (const owner of ['process-1', 'process-2', 'process-3']) {
      assert.deepEqual(await cancellations.list(owner), [{ runId: 'run-1', requestedAt: 5 }]);
    }
  });

  scenario('no request is recorded for a run that has ended or does not exist', async ({ runs, cancellations }) => {
    await runs.create(newRun('run-1'), holder);
    await runs.transition('run-1', { from: ['running'], to: 'completed', now: 2 });
    assert.equal(await cancellations.request({ runId: 'run-1', requestedAt: 5 }), false);
    assert.equal(await cancellations.request({ runId: 'run-2', requestedAt: 5 }), false);
    assert.equal(await cancellations.removeEnded(), 0);
  });

  scenario('a job is cancelled apart from its run', async ({ runs, jobs, cancellations }) => {
    await runs.create(newRun('run-1'), holder);
    await runs.create(newRun('run-2'), holder);
    await jobs.create(newJob('job-1', 'run-1'));
    await jobs.create(newJob('job-2', 'run-1'));
    assert.equal(await cancellations.request({ runId: 'run-2', jobId: 'job-1', requestedAt: 5 }), false);
    assert.equal(await cancellations.request({ runId: 'run-1', jobId: 'job-3', requestedAt: 5 }), false);
    assert.equal(await cancellations.request({ runId: 'run-1', jobId: 'job-1', requestedAt: 6 }), true);
    assert.equal(await cancellations.has('run-1'), false);
    assert.equal(await cancellations.request({ runId: 'run-1', requestedAt: 7 }), true);
    assert.deepEqual(await cancellations.list('process-1'), [
      { runId: 'run-1', jobId: 'job-1', requestedAt: 6 },
      { runId: 'run-1', requestedAt: 7 },
    ]);
    assert.deepEqual([await cancellations.has('run-1'), await cancellations.has('run-2')], [true, false]);
    await jobs.update('job-1', 1, { status: 'completed', now: 8 });
    assert.equal(await cancellations.request({ runId: 'run-1', jobId: 'job-1', requestedAt: 9 }), false);
    assert.equal(await cancellations.removeEnded(), 1);
    assert.deepEqual(await cancellations.list('process-1'), [{ runId: 'run-1', requestedAt: 7 }]);
  });

  scenario('only requests for what has ended are forgotten', async ({ runs, cancellations }) => {
    for (const id of ['run-1', 'run-2', 'run-3']) {
      await runs.create(newRun(id), holder);
      await cancellations.request({ runId: id, requestedAt: 5 });
    }
    await runs.transition('run-1', { from: ['running'], to: 'cancelled', now: 6 });
    await runs.transition('run-2', { from: ['running'], to: 'paused', now: 6 });
    assert.equal(await cancellations.removeEnded(), 1);
    assert.equal(await cancellations.removeEnded(), 0);
    assert.deepEqual(
      (await cancellations.list('process-1')).map(({ runId }) => runId),
      ['run-2', 'run-3'],
    );
  });

  needing('cancellations', 'retention')(
    'the request for a run that has ended is removed with the orphans',
    async ({ runs, cancellations, retention }) => {
      for (const id of ['run-1', 'run-2']) {
        await runs.create(newRun(id), holder);
        await cancellations.request({ runId: id, requestedAt: 5 });
      }
      await runs.transition('run-1', { from: ['running'], to: 'completed', now: 6 });
      await retention.removeOrphans(7);
      assert.equal(await cancellations.removeEnded(), 0);
      assert.deepEqual(await cancellations.list('process-1'), [{ runId: 'run-2', requestedAt: 5 }]);
    },
  );

  scenario('an id that cannot be stored is refused', async ({ cancellations }) => {
    for (const runId of ['', 'x'.repeat(201)]) {
      await rejectsWith('E_STATE_INVALID', cancellations.request({ runId, requestedAt: 1 }));
    }
    await rejectsWith('E_STATE_INVALID', cancellations.request({ runId: 'run-1', jobId: '', requestedAt: 1 }));
  });

  if (reopen === undefined) return;
  scenario('a request outlives the process that records it', async (store) => {
    await store.runs.create(newRun('run-1'), holder);
    await store.cancellations.request({ runId: 'run-1', requestedAt: 5 });
    await store[Symbol.asyncDispose]();
    await using opened = await reopen(store);
    assert.deepEqual(await opened.cancellations?.list('process-1'), [{ runId: 'run-1', requestedAt: 5 }]);
  });
}
