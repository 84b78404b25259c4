import type { Job } from '@ravi/kernel';
import { json, operation } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { enumOf, object, sameAs, strictObject, string } from './schema.ts';
import { count, errorSchema, jsonValue, requestId, timestamp } from './values.ts';

const statuses = enumOf(['queued', 'running', 'completed', 'failed', 'cancelled']);

/** Work in the background. */
export const jobSchema = sameAs<Job>()(
  object(
    {
      id: string(),
      principal: string(),
      sessionId: string(),
      kind: string(),
      createdAt: timestamp,
      updatedAt: timestamp,
      status: statuses,
      version: count,
    },
    { runId: string(), callId: string(), input: jsonValue, progress: jsonValue, result: jsonValue, error: errorSchema },
  ),
);

/** Operations on background work of agents. */
export const jobs = {
  list: operation({
    method: 'get',
    path: '/v1/jobs',
    summary: 'List jobs, newest first.',
    query: strictObject({}, { ...pageQuery, status: statuses, runId: requestId }),
    responses: { 200: json(page(jobSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  get: operation({
    method: 'get',
    path: '/v1/jobs/{id}',
    summary: 'Get a job with its progress and result.',
    responses: { 200: json(jobSchema) },
    errors: ['E_JOB_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
  cancel: operation({
    method: 'post',
    path: '/v1/jobs/{id}/cancel',
    summary: 'Cancel a job; its run continues. If another server executes it, that one ends it within a second.',
    role: 'run',
    endsWork: true,
    responses: { 202: json(jobSchema) },
    errors: ['E_JOB_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
