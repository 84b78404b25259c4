import type { Memory } from '@ravi/kernel';
import { empty, json, operation } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { array, integer, object, sameAs, strictObject, string } from './schema.ts';
import { count, timestamp } from './values.ts';

/** Memory of an agent about a caller. */
const memorySchema = sameAs<Memory>()(
  object(
    {
      id: string(),
      principal: string(),
      text: string(),
      createdAt: timestamp,
      number: integer({ minimum: 0, description: 'Grows with each memory.' }),
    },
    { tags: array(string()), agent: string({ description: 'Agent that remembered it.' }) },
  ),
);

const path = '/v1/memories';

/** Operations on what agents remember about the caller. */
export const memories = {
  list: operation({
    method: 'get',
    path,
    summary: 'List what agents remember about the caller, newest first, or with "query" the best matches.',
    query: strictObject(
      {},
      { ...pageQuery, query: string({ maxLength: 2_000, description: 'Words to find; a search has one page.' }) },
    ),
    responses: { 200: json(page(memorySchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  delete: operation({
    method: 'delete',
    path: `${path}/{id}`,
    summary: 'Delete a memory for good.',
    role: 'run',
    endsWork: true,
    responses: { 204: empty },
    errors: ['E_MEMORY_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
  clear: operation({
    method: 'delete',
    path,
    summary: 'Delete everything that agents remember about the caller, for good.',
    role: 'run',
    endsWork: true,
    responses: { 200: json(object({ deleted: count })) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
} as const;
