import { api } from '@ravi/api';
import type { Job, JobStore } from '@ravi/kernel';
import { maySee } from '../access/caller.ts';
import type { RunService } from '../../runs/run-service.ts';
import { implement, listOf, pageOf, Reply } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

/** Implements the operations on background jobs of an agent. */
export function jobOperations(jobs: JobStore, runs: RunService): readonly Endpoint[] {
  async function find({ params: { id }, caller }: ApiRequest<typeof api.jobs.get>): Promise<Job> {
    const job = await jobs.get(id);
    if (job !== undefined && maySee(caller, job.principal)) return job;
    throw problem('E_JOB_UNKNOWN', `There is no job "${id}"`);
  }

  return [
    implement(api.jobs.list, async ({ query, caller }) => {
      const { status, runId } = query;
      const filter = {
        ...(caller.roles.includes('admin') ? {} : { principal: caller.principal }),
        ...(status === undefined ? {} : { status }),
        ...(runId === undefined ? {} : { runId }),
      };
      const { items, next } = await jobs.list(filter, pageOf(query));
      return listOf(items, next);
    }),
    implement(api.jobs.get, find),
    implement(api.jobs.cancel, async (request) => {
      const job = await find(request);
      await runs.cancelJob(job);
      return new Reply(202, (await jobs.get(job.id)) ?? job);
    }),
  ];
}
