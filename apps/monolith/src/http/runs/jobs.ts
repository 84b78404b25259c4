import type { Job, JobStatus, JobStore } from '@ravi/kernel';
import { maySee } from '../../access/caller.ts';
import type { RunService } from '../../runs/run-service.ts';
import { listAnswer, pageOf, pageQuery } from '../core/operation.ts';
import type { ApiRequest, Operation } from '../core/operation.ts';
import { problem } from '../core/problem.ts';

const statuses: readonly JobStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

/** Work that goes on beside the steps of an agent. */
export function jobOperations(jobs: JobStore, runs: RunService): readonly Operation[] {
  async function find({ params: { id = '' }, caller }: ApiRequest): Promise<Job> {
    const job = await jobs.get(id);
    if (job !== undefined && maySee(caller, job.principal)) return job;
    throw problem('E_JOB_UNKNOWN', `There is no job "${id}"`);
  }

  return [
    {
      method: 'get',
      path: '/v1/jobs',
      summary: 'List jobs.',
      query: { ...pageQuery, status: { enum: statuses }, runId: { type: 'string', minLength: 1, maxLength: 100 } },
      async answer(request) {
        const { query, caller } = request;
        const { status, runId } = query as { readonly status?: JobStatus; readonly runId?: string };
        const filter = {
          ...(caller.roles.includes('admin') ? {} : { principal: caller.principal }),
          ...(status === undefined ? {} : { status }),
          ...(runId === undefined ? {} : { runId }),
        };
        const { items, next } = await jobs.list(filter, pageOf(request));
        return listAnswer(items, next);
      },
    },
    {
      method: 'get',
      path: '/v1/jobs/{id}',
      summary: 'A job with its progress and result.',
      answer: find,
    },
    {
      method: 'post',
      path: '/v1/jobs/{id}/cancel',
      summary: 'End a job; its run goes on.',
      role: 'run',
      async answer(request) {
        const job = await find(request);
        await runs.cancelJob(job);
        return Response.json((await jobs.get(job.id)) ?? job, { status: 202 });
      },
    },
  ];
}
