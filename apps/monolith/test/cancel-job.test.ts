import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Job } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { createRunService } from '../src/runs/run-service.ts';
import { createStartSlots } from '../src/runs/start-slots.ts';
import type { RunServiceOptions } from '../src/runs/run-service.ts';

test('a job of a run that another process holds is left to that process, even if the clock of this process is ahead', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const clock = createFakeClock(Date.now() + 3_600_000);
  const logger = createMemoryLogger();
  const agentRunner = { stopJob: async () => false } as unknown as RunServiceOptions['agentRunner'];
  const chains = {} as RunServiceOptions['chains'];
  const service = createRunService({
    store,
    chains,
    agentRunner,
    pausedRuns: { check: async () => {} },
    startSlots: createStartSlots(() => ({ agents: 1, scripts: 1 })),
    admit: async () => {},
    lifetime: new AbortController().signal,
    hooks: new HookManager({ clock, logger }),
    clock,
    logger,
  });
  const owner = { principal: 'ada', sessionId: 's', createdAt: 1 };
  await store.runs.create({ ...owner, id: 'run_1', definition: { kind: 'agent' } }, { owner: 'other' });
  await store.jobs.create({ ...owner, id: 'job_1', runId: 'run_1', kind: 'build', input: {} });
  const job = (await store.jobs.get('job_1')) as Job;
  await service.cancelJob(job);
  assert.equal((await store.jobs.get('job_1'))?.status, job.status);
  const [request] = await store.cancellations.list('other');
  assert.deepEqual([request?.runId, request?.jobId], ['run_1', 'job_1']);

  await store.runs.release('run_1', 'other');
  await service.cancelJob(job);
  assert.equal((await store.jobs.get('job_1'))?.status, 'cancelled');
  await assert.rejects(
    service.cancelJob(job),
    (error) =>
      isKernelError(error, 'E_STATE_CONFLICT') && /is cancelled, so it cannot be cancelled/.test(error.message),
  );
});
