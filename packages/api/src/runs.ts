import type { Run, RunBlock, RunDefinition, RunInput, RunNeed, RunOutcome, SnippetTool } from '@ravi/kernel';
import { artifactSchema } from './artifacts.ts';
import { callSchema, consoleLineSchema } from './calls.ts';
import { chainErrorSchema, chainResultSchema, scriptFields } from './chains.ts';
import { exchangeSchema, usageSchema } from './models.ts';
import { json, operation } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { eventIdPattern, questionSchema, recordedEventSchema } from './run-events.ts';
import {
  array,
  boolean,
  enumOf,
  extend,
  integer,
  number,
  object,
  record,
  sameAs,
  strictObject,
  string,
  union,
} from './schema.ts';
import type { Schema, ValueOf } from './schema.ts';
import {
  jsonObject,
  jsonValue,
  language,
  milliseconds,
  modelErrorFields,
  modelErrorSchema,
  requestId,
  timestamp,
} from './values.ts';

const kind = enumOf(['agent', 'chain']);
// The kernel leaves the kind open; the server has two.
const kindOfRun: Schema<string> = kind;
const statuses = enumOf(['running', 'paused', 'blocked', 'completed', 'failed', 'cancelled'], {
  description: 'A blocked run waits for a server that has what it needs, as "block" says.',
});

/** A tool that a script may call. */
export const snippetToolSchema = sameAs<SnippetTool>()(object({ name: string(), digest: string() }));

const definitionSchema = sameAs<RunDefinition>()(
  object(
    { kind: kindOfRun },
    {
      code: string(),
      language,
      scriptDigest: string(),
      tools: array(snippetToolSchema),
      input: jsonValue,
      policy: jsonObject,
      limits: jsonObject,
      details: jsonObject,
    },
  ),
);
const needSchema = sameAs<RunNeed>()(
  object(
    { kind: enumOf(['agent', 'key', 'script', 'tool']), state: enumOf(['changed', 'missing']) },
    { name: string() },
  ),
);
const blockSchema = sameAs<RunBlock>()(
  object({
    message: string(),
    needs: array(needSchema, { description: 'What no server had that tried the run, as it was when the run started.' }),
  }),
);
const outcomeSchema = sameAs<RunOutcome>()(object({}, { result: jsonValue, error: modelErrorSchema }));

/** A run. */
export const runSchema = sameAs<Run>()(
  object(
    {
      id: string(),
      principal: string(),
      sessionId: string(),
      definition: definitionSchema,
      createdAt: timestamp,
      updatedAt: timestamp,
      status: statuses,
      epoch: integer({ minimum: 0, description: 'Number of times that a process took the run.' }),
    },
    {
      parentRunId: string(),
      owner: string({ description: 'Process that executes the run.' }),
      block: blockSchema,
      outcome: outcomeSchema,
    },
  ),
);

/** Text that a user has sent to a live run. */
const runInputSchema = sameAs<RunInput>()(
  object({
    id: string(),
    runId: string(),
    text: string(),
    createdAt: timestamp,
    number: integer({ minimum: 1, description: 'Inputs are read in the order of their numbers.' }),
  }),
);

const attemptSchema = object(
  { epoch: integer({ minimum: 0, description: 'First part of the ids of its events.' }), startedAt: timestamp },
  {
    endedAt: timestamp,
    end: enumOf(['ended', 'paused', 'suspended', 'crashed'], {
      description:
        'Absent while it continues. "suspended": its process shut down. "crashed": it lasted at least until "endedAt".',
    }),
  },
);

/** A run with everything that its record says. */
export const runDetailsSchema = extend(
  runSchema,
  {
    trace: array(callSchema),
    attempts: array(attemptSchema, {
      description: 'The processes that ran it, one after another. No process ran it between two of them.',
    }),
    steps: integer({ minimum: 0, description: 'Responses of the model.' }),
    usage: usageSchema,
    plainConversationTokens: integer({
      minimum: 0,
      description: 'Estimated input tokens of the same calls made one by one in a conversation.',
    }),
    logs: array(extend(consoleLineSchema, {}, { parentId: string(), callId: string() })),
    artifacts: array(artifactSchema),
    inputs: array(extend(runInputSchema, { isRead: boolean() }), {
      description:
        'What users have sent to the run of an agent. It reads an input before its next request to the model.',
    }),
    questions: array(questionSchema, { description: 'Open questions of a paused agent.' }),
    children: array(
      object(
        { id: string(), kind: string(), status: statuses, createdAt: timestamp },
        {
          callId: string({ description: 'The call of this run that the child works for.' }),
          agent: string({ description: 'Name of the sub-agent.' }),
        },
      ),
      { description: 'Runs below this one: the scripts of its calls, and its sub-agents.' },
    ),
    pendingApprovals: array(
      object({ id: string(), tool: string(), expiresAt: timestamp, status: enumOf(['pending', 'parked']) }),
      { description: 'Requests that wait for a decision; parked ones still do after their time has passed.' },
    ),
    completions: array(
      object({ id: string(), callId: string(), tool: string(), requestedAt: timestamp, expiresAt: timestamp }),
      { description: 'Calls that wait for their results from outside.' },
    ),
  },
  {
    cost: number({ description: 'In the currency of the price table; absent when a model has no price.' }),
    task: string(),
    script: string(),
    error: extend(chainErrorSchema, {}, { retryable: boolean(), retryAfterMs: milliseconds, ...modelErrorFields }),
  },
);

/** A run with its trace, usage, logs, artifacts, questions and pending approvals. */
export type RunDetails = ValueOf<typeof runDetailsSchema>;

const answerText = string({ maxLength: 100_000 });

/** Operations on runs of the agent and on durable runs of scripts. */
export const runs = {
  start: operation({
    method: 'post',
    path: '/v1/runs',
    keyed: 'run',
    summary: 'Start a run of the agent or of a script; it continues in the background.',
    role: 'run',
    body: strictObject(
      { kind },
      {
        task: string({ minLength: 1, maxLength: 1_000_000, description: 'The task of the agent.' }),
        sessionId: requestId,
        agent: string({
          minLength: 1,
          maxLength: 64,
          description: 'Name of the agent. Default: defaultAgent of the configuration.',
        }),
        approvalMode: enumOf(['wait', 'pause'], {
          description:
            'While an approval is pending, the run waits in memory ("wait") or is stored ("pause"). Default: approvals.mode of the configuration.',
        }),
        ...scriptFields,
      },
    ),
    responses: { 201: json(runSchema) },
    errors: [
      'E_AGENT_UNKNOWN',
      'E_SESSION_BUSY',
      'E_NOT_STARTED',
      'E_CALL_UNKNOWN',
      'E_STATE_UNAVAILABLE',
      'E_RUN_SUSPENDED',
    ],
  }),
  list: operation({
    method: 'get',
    path: '/v1/runs',
    summary: 'List runs that are not below another one, or those below a run, newest first.',
    query: strictObject(
      {},
      {
        ...pageQuery,
        status: statuses,
        sessionId: requestId,
        kind,
        parentRunId: string({
          minLength: 1,
          maxLength: 200,
          description:
            'Lists the runs directly below this one: its scripts and sub-agents. Otherwise those below others are left out.',
        }),
      },
    ),
    responses: { 200: json(page(runSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  get: operation({
    method: 'get',
    path: '/v1/runs/{id}',
    summary: 'Get a run with its trace, usage, logs, artifacts and open questions.',
    responses: { 200: json(runDetailsSchema) },
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_UNAVAILABLE'],
  }),
  events: operation({
    method: 'get',
    path: '/v1/runs/{id}/events',
    summary: 'Stream the events of a run as server-sent events, from its beginning or after Last-Event-ID.',
    query: strictObject(
      {},
      {
        format: enumOf(['ravi', 'ai-ui', 'ag-ui']),
        after: string({ pattern: eventIdPattern, description: 'Id of the last known event.' }),
      },
    ),
    responses: {},
    events: recordedEventSchema,
    endEvent: 'run-end',
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_UNAVAILABLE'],
  }),
  exchanges: operation({
    method: 'get',
    path: '/v1/runs/{id}/exchanges',
    summary:
      'List the exact prompts, tool definitions and responses of the model, step by step. A page of large prompts ends early.',
    query: strictObject({}, pageQuery),
    responses: { 200: json(page(exchangeSchema)) },
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_UNAVAILABLE'],
  }),
  cancel: operation({
    method: 'post',
    path: '/v1/runs/{id}/cancel',
    summary: 'Cancel a run; it cannot be resumed. If another server executes it, that one ends it within a second.',
    role: 'run',
    endsWork: true,
    responses: { 202: json(runSchema) },
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_CONFLICT', 'E_STATE_UNAVAILABLE'],
  }),
  retry: operation({
    method: 'post',
    path: '/v1/runs/{id}/retry',
    summary:
      'Offer a blocked run, or the blocked run above it, to all servers again. One that has what it needs continues it within seconds; otherwise it is blocked again.',
    role: 'run',
    responses: { 202: json(runSchema) },
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_CONFLICT', 'E_STATE_UNAVAILABLE'],
  }),
  input: operation({
    method: 'post',
    path: '/v1/runs/{id}/input',
    keyed: 'run',
    summary:
      'Send text to a live run of an agent. It is stored, and read once, before the next request to the model; a paused run reads it when it continues. An agent that answers meanwhile reads it before it ends.',
    role: 'run',
    body: strictObject({ text: string({ minLength: 1, maxLength: 100_000 }) }),
    responses: { 202: json(runInputSchema) },
    errors: ['E_RUN_NOT_FOUND', 'E_RUN_ENDED', 'E_BUSY', 'E_UNSUPPORTED', 'E_STATE_UNAVAILABLE'],
  }),
  resume: operation({
    method: 'post',
    path: '/v1/runs/{id}/resume',
    keyed: 'call',
    summary:
      'Resume a run. Responds with the result of a script, also of one that has ended or that another server executes, and with the run of an agent. 409 for a run that ended without a result.',
    role: 'run',
    body: strictObject(
      {},
      {
        answer: union([answerText, record(answerText)], {
          description:
            'Answer to the only question of an agent, or to each question by its "callId". An answer addressed to a "callId" is not accepted for a later question, so it can be sent again.',
        }),
      },
    ),
    responses: { 200: json(union([chainResultSchema, runSchema])) },
    errors: ['E_RUN_NOT_FOUND', 'E_STATE_CONFLICT', 'E_RUN_SUSPENDED', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
