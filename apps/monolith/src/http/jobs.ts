import type { JobStatus } from '@ravi/kernel';
import { maySee } from '../access/caller.ts';
import type { StatefulParts } from './app.ts';
import { listAnswer, pageOf, pageQuery } from './operation.ts';
import type { Operation } from './operation.ts';
import { problem } from './problem.ts';

const statuses: readonly JobStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

/** Work that goes on beside the steps of an agent. */
export function jobOperations({ store }: StatefulParts): readonly Operation[] {
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
        const { items, next } = await store.jobs.list(filter, pageOf(request));
        return listAnswer(items, next);
      },
    },
    {
      method: 'get',
      path: '/v1/jobs/{id}',
      summary: 'A job with its progress and result.',
      async answer({ params: { id = '' }, caller }) {
        const job = await store.jobs.get(id);
        if (job !== undefined && maySee(caller, job.principal)) return job;
        throw problem('E_JOB_UNKNOWN', `There is no job "${id}"`);
      },
    },
  ];
}
