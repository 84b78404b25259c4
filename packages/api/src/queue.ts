import { json, operation } from './operation.ts';
import { array, boolean, described, integer, object, string } from './schema.ts';
import type { ObjectSchema, ValueOf } from './schema.ts';
import { count, milliseconds } from './values.ts';

/** Runs that wait in the run engine or are handled, of all servers that share it. */
const waitingRunsSchema = object(
  {
    ready: described(
      count,
      'Runs that a server may begin or continue now, and that none has taken. A queued run that the server which stored it has begun meanwhile counts until one takes it.',
    ),
    delayed: described(count, 'Runs that are looked at later.'),
    taken: described(count, 'Runs that servers have taken from the engine.'),
    dead: described(count, 'Runs that no server could continue. They become blocked, and are then counted no longer.'),
  },
  {
    oldestReadyMs: described(
      milliseconds,
      'Milliseconds for which the oldest ready run has waited; absent if none is ready.',
    ),
  },
);

const principalSchema = object({
  principal: string({ description: 'SHA-256 of one that is longer than 200 characters.' }),
  ready: count,
  taken: count,
});

const byKind = (description: string): ObjectSchema<{ readonly agents: number; readonly scripts: number }> => ({
  ...object({
    agents: integer({ minimum: 0, description: 'Runs of agents, with the scripts and sub-agents inside them.' }),
    scripts: integer({ minimum: 0, description: 'Scripts that are part of no other run.' }),
  }),
  description,
});

const queueSchema = object({
  engine: string({ description: 'Name of the run engine.' }),
  isShared: boolean({
    description: 'True if servers share the engine; false if each has one of its own, with numbers of its own.',
  }),
  runs: waitingRunsSchema,
  principals: array(principalSchema, {
    description: 'At most 20 principals, those with the most ready and taken runs first.',
  }),
  server: object({
    slots: byKind(
      'runs.slots of this server: the new runs that it begins at once, and as many again that it takes from the engine.',
    ),
    executing: byKind('Runs that this server executes now, also those whose clients wait for the result.'),
  }),
});

/** Runs that wait for a server, and the load of the server that responds. */
export type Queue = ValueOf<typeof queueSchema>;

/** Operations on the run engine. */
export const queue = {
  get: operation({
    method: 'get',
    path: '/v1/queue',
    summary: 'Count the runs that wait for a server, by principal, and those that this server executes.',
    role: 'admin',
    responses: { 200: json(queueSchema) },
    errors: ['E_ENGINE_UNAVAILABLE'],
  }),
} as const;
