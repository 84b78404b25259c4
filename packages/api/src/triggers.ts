import type { Trigger, TriggerFiring, TriggerPermissions, TriggerSpec } from '@ravi/kernel';
import { json, operation } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { array, enumOf, extend, integer, literal, object, sameAs, strictObject, string, union } from './schema.ts';
import type { Schema, ValueOf } from './schema.ts';
import { count, errorSchema, milliseconds, requestId, risk, timestamp } from './values.ts';

const kinds = enumOf(['timer', 'schedule', 'channel']);
const statuses = enumOf(['active', 'ended', 'cancelled']);
const misfire = enumOf(['once', 'skip', 'all'], {
  description:
    'For due times that passed while no server ran: one run for all of them, none, or one for each of the first triggers.maxMissedRuns.',
});

const specSchema: Schema<TriggerSpec> = union([
  object({ kind: literal('timer'), at: timestamp }, { everyMs: milliseconds }),
  object({ kind: literal('schedule'), cron: string(), timeZone: string() }),
  object({ kind: literal('channel'), channel: string() }),
]);

// One object with the fields of every kind: a refusal then names the field that is wrong.
const timesSchema = strictObject(
  { kind: kinds },
  {
    at: integer({ minimum: 0, description: 'Of a timer: milliseconds since the Unix epoch.' }),
    inMs: integer({ minimum: 0, description: 'Of a timer: milliseconds from now.' }),
    everyMs: integer({ minimum: 1, description: 'Of a timer: milliseconds between two runs; one run when absent.' }),
    cron: string({
      minLength: 1,
      maxLength: 1_000,
      description: 'Of a schedule: minute, hour, day of month, month and day of week, or a nickname such as @daily.',
    }),
    timeZone: string({
      minLength: 1,
      maxLength: 100,
      description: 'Of a schedule: IANA name, such as Europe/Berlin. Default: UTC.',
    }),
    channel: string({
      minLength: 1,
      maxLength: 200,
      description: 'Of a channel: its name. It fires for messages that others send from now on.',
    }),
  },
);

/** Times or channel of a trigger in a request. */
export type TriggerTimesBody = ValueOf<typeof timesSchema>;

const permissionsSchema = sameAs<TriggerPermissions>()(
  object(
    {
      tools: array(string(), { description: 'Tools that the creator could call.' }),
      maxRiskUnapproved: enumOf(['safe', 'high']),
    },
    { defaultRisk: risk, toolRole: string() },
  ),
);

/** A trigger. */
export const triggerSchema = sameAs<Trigger>()(
  object(
    {
      id: string(),
      principal: string(),
      agent: string(),
      spec: specSchema,
      input: string({ description: 'Task of its runs.' }),
      permissions: permissionsSchema,
      misfire,
      createdAt: timestamp,
      status: statuses,
      version: count,
      updatedAt: timestamp,
      missed: integer({ minimum: 0, description: 'Due times that no run was started for.' }),
    },
    {
      sessionId: string({ description: 'Conversation that its runs continue.' }),
      createdByRun: string(),
      nextDueAt: timestamp,
      position: integer({ minimum: 0, description: 'Number of the last message that was delivered.' }),
      lastFiredAt: timestamp,
    },
  ),
);

const firingSchema = sameAs<TriggerFiring>()(
  object(
    {
      triggerId: string(),
      slot: integer({ description: 'Due time, or number of the last message. A trigger fires once per slot.' }),
      dueAt: timestamp,
      runId: string(),
      input: string(),
      status: enumOf(['pending', 'started', 'failed']),
      createdAt: timestamp,
    },
    { error: errorSchema },
  ),
);

/** A trigger with its latest firings. */
export const triggerDetailsSchema = extend(triggerSchema, {
  firings: array(firingSchema, { description: 'The latest 50, newest first.' }),
});

/** A trigger with its latest firings. */
export type TriggerDetails = ValueOf<typeof triggerDetailsSchema>;

/** Operations on triggers, which start runs of agents at times and for messages. */
export const triggers = {
  create: operation({
    method: 'post',
    path: '/v1/triggers',
    keyed: 'run',
    summary:
      'Create a trigger. Its runs belong to the caller and may call the tools that the caller may call now, or fewer.',
    role: 'run',
    body: strictObject(
      { spec: timesSchema, task: string({ minLength: 1, maxLength: 100_000, description: 'Task of its runs.' }) },
      {
        agent: string({
          minLength: 1,
          maxLength: 64,
          description: 'Name of the agent. Default: defaultAgent of the configuration.',
        }),
        sessionId: requestId,
        misfire,
      },
    ),
    responses: { 201: json(triggerSchema) },
    errors: ['E_ARGUMENTS_INVALID', 'E_AGENT_UNKNOWN', 'E_BUDGET_EXHAUSTED', 'E_UNSUPPORTED', 'E_STATE_UNAVAILABLE'],
  }),
  list: operation({
    method: 'get',
    path: '/v1/triggers',
    summary: 'List triggers, newest first.',
    query: strictObject({}, { ...pageQuery, status: statuses, kind: kinds }),
    responses: { 200: json(page(triggerSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  get: operation({
    method: 'get',
    path: '/v1/triggers/{id}',
    summary: 'Get a trigger with its latest firings.',
    responses: { 200: json(triggerDetailsSchema) },
    errors: ['E_TRIGGER_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
  cancel: operation({
    method: 'post',
    path: '/v1/triggers/{id}/cancel',
    summary: 'Cancel a trigger. Runs that it has started continue. One that has ended stays as it is.',
    role: 'run',
    endsWork: true,
    responses: { 202: json(triggerSchema) },
    errors: ['E_TRIGGER_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
