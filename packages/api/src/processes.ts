import type { ProcessRecord } from '@ravi/kernel';
import { json, operation } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { boolean, integer, object, sameAs, strictObject, string } from './schema.ts';
import { milliseconds, timestamp } from './values.ts';

/** Process that shares the state store. */
const processSchema = sameAs<ProcessRecord>()(
  object(
    {
      id: string({ description: 'Owner of the runs that it executes.' }),
      epoch: integer({
        minimum: 1,
        description: '1, and one more each time that the process came back after it had counted as dead.',
      }),
      startedAt: timestamp,
      heartbeatAt: timestamp,
      deadAfterMs: milliseconds,
      isAlive: boolean({
        description: 'False if its last heartbeat is older than "deadAfterMs": others take its runs.',
      }),
    },
    {
      address: string({ description: 'Address at which other processes reach it.' }),
      version: string({ description: 'Version of its program, and its build.' }),
    },
  ),
);

/** Operations on the processes that share the state store. */
export const processes = {
  list: operation({
    method: 'get',
    path: '/v1/processes',
    summary: 'List the processes that share the state store, alive and dead, the oldest start first.',
    role: 'admin',
    query: strictObject({}, pageQuery),
    responses: { 200: json(page(processSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
} as const;
