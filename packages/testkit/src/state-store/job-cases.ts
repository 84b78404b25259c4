import assert from 'node:assert/strict';
import type { NewJob } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { allPages, midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const job: NewJob = {
  id: 'job-1',
  principal: 'ada',
  sessionId: 'session-1',
  runId: 'run-1',
  kind: 'crawl',
  input: { pages: 10 },
  createdAt: midnight,
};

/** Cases about jobs. */
export function jobCases({ needing }: StateStoreSuite): void {
  const scenario = needing('jobs');
  scenario('a job is queued as it was begun, and its id is taken once', async ({ jobs }) => {
    const expected = { ...job, status: 'queued', version: 1, updatedAt: midnight };
    assert.deepEqual(await jobs.create(job), expected);
    assert.deepEqual(await jobs.get('job-1'), expected);
    assert.equal(await jobs.get('job-2'), undefined);
    await rejectsWith('E_STATE_CONFLICT', jobs.create({ ...job, principal: 'bob' }));
  });

  scenario('a change keeps what it does not name, and needs the version that it read', async ({ jobs }) => {
    await jobs.create(job);
    const running = await jobs.update('job-1', 1, { status: 'running', progress: { page: 1 }, now: midnight + 1 });
    assert.deepEqual(running, {
      ...job,
      status: 'running',
      version: 2,
      progress: { page: 1 },
      updatedAt: midnight + 1,
    });
    assert.equal(await jobs.update('job-1', 1, { status: 'failed', now: midnight + 2 }), undefined);
    const done = await jobs.update('job-1', 2, { status: 'completed', result: [1, 2], now: midnight + 3 });
    assert.deepEqual(done, {
      ...job,
      status: 'completed',
      version: 3,
      progress: { page: 1 },
      result: [1, 2],
      updatedAt: midnight + 3,
    });
    assert.deepEqual(await jobs.get('job-1'), done);
  });

  scenario('a job that has ended stays as it is, and one that is not there does not change', async ({ jobs }) => {
    await jobs.create(job);
    await jobs.update('job-1', 1, { status: 'cancelled', now: midnight });
    assert.equal(await jobs.update('job-1', 2, { status: 'running', now: midnight }), undefined);
    assert.equal((await jobs.get('job-1'))?.status, 'cancelled');
    assert.equal(await jobs.update('job-2', 1, { status: 'running', now: midnight }), undefined);
  });

  scenario('of many changes of one version at once exactly one is made', async ({ jobs }) => {
    await jobs.create(job);
    const changes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => jobs.update('job-1', 1, { progress: index, now: midnight })),
    );
    const made = changes.filter((change) => change !== undefined);
    assert.equal(made.length, 1);
    assert.deepEqual(await jobs.get('job-1'), made[0]);
  });

  scenario('jobs are listed newest first, by whom and what they belong to', async ({ jobs }) => {
    for (let number = 1; number <= 5; number++) await jobs.create({ ...job, id: `job-${number}` });
    const { runId: _, ...withoutRun } = job;
    await jobs.create({ ...withoutRun, id: 'job-6', principal: 'bob', sessionId: 'session-2' });
    await jobs.update('job-2', 1, { status: 'running', now: midnight });
    const ids = async (filter: Parameters<typeof jobs.list>[0]): Promise<readonly string[]> =>
      (await allPages((page) => jobs.list(filter, page), 2)).map(({ id }) => id);
    assert.deepEqual(await ids({}), ['job-6', 'job-5', 'job-4', 'job-3', 'job-2', 'job-1']);
    assert.deepEqual(await ids({ principal: 'ada', status: 'queued' }), ['job-5', 'job-4', 'job-3', 'job-1']);
    assert.deepEqual(await ids({ runId: 'run-1', status: 'running' }), ['job-2']);
    assert.deepEqual(whole(await jobs.list({ sessionId: 'session-2' }))[0]?.runId, undefined);
  });

  const cancelling = needing('jobs', 'approvals');
  cancelling(
    'a job is cancelled with everything that its call waits for, in one step',
    async ({ runs, jobs, approvals }) => {
      const agent = { kind: 'agent' } as const;
      await runs.create(newRun('run-1', { definition: agent }), { owner: 'one' });
      const helper = { kind: 'agent', details: { callId: 'call-1' } } as const;
      const script = { kind: 'chain', details: { callId: 'call-1.2' } } as const;
      const other = { kind: 'agent', details: { callId: 'call-10' } } as const;
      for (const [id, definition] of Object.entries({ helper, script, other })) {
        await runs.create(newRun(id, { definition, parentRunId: 'run-1' }));
      }
      const request = createApprovalRequest({ requestedAt: midnight, expiresAt: midnight + 1_000 });
      const asks = { own: 'call-1', inner: 'call-1.1', second: 'call-10' };
      for (const [id, callId] of Object.entries(asks))
        await approvals.create({ ...request, id, runId: 'run-1', callId });
      await approvals.create({ ...request, id: 'of-helper', runId: 'helper', callId: 'any' });
      await jobs.create({ ...job, callId: 'call-1' });
      const statuses = async (): Promise<readonly unknown[]> => [
        (await jobs.get('job-1'))?.status,
        ...(await Promise.all(['helper', 'script', 'other'].map(async (id) => (await runs.get(id))?.status))),
        ...(await Promise.all(
          [...Object.keys(asks), 'of-helper'].map(async (id) => (await approvals.get(id))?.status),
        )),
      ];
      const before = ['queued', 'running', 'running', 'running', 'pending', 'pending', 'pending', 'pending'];
      const cancel = (version: number) => jobs.cancel('job-1', { version, now: midnight + 2, reason: 'not needed' });

      assert.equal(await cancel(1), undefined, 'a process executes the run');
      await runs.release('run-1', 'one');
      assert.equal(await cancel(2), undefined, 'another version');
      assert.equal(await jobs.cancel('job-2', { version: 1, now: midnight, reason: 'gone' }), undefined);
      assert.deepEqual(await statuses(), before);

      const [cancelled, ...others] = (await Promise.all([cancel(1), cancel(1)])).filter(Boolean);
      assert.deepEqual([cancelled?.status, cancelled?.error?.message, others], ['cancelled', 'not needed', []]);
      const gone = ['cancelled', 'cancelled', 'cancelled', 'running', 'withdrawn', 'withdrawn', 'pending', 'withdrawn'];
      assert.deepEqual(await statuses(), gone);
    },
  );
}
