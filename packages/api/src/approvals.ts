import type { ApprovalChange, ApprovalRequest } from '@ravi/kernel';
import { json, operation, raw } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { problemSchema } from './problem.ts';
import {
  described,
  array,
  boolean,
  enumOf,
  extend,
  integer,
  literal,
  number,
  object,
  sameAs,
  strictObject,
  string,
  union,
} from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, jsonObject, jsonSchema, requestId, risk, timestamp } from './values.ts';

const statusNames = ['pending', 'parked', 'approved', 'denied', 'expired', 'consumed', 'withdrawn'] as const;
const statuses = enumOf(statusNames);
const statusFilter = enumOf([...statusNames, 'undecided'], {
  description: 'A status; "undecided" is pending or parked.',
});
const decisions = enumOf(['approved', 'denied', 'skipped', 'modified']);
const scopes = enumOf(['once', 'run']);

const sequence = integer({ minimum: 0, description: 'Number of its last change; the id of that event in the stream.' });

const elicitationSchema = union([
  object({ mode: literal('form'), message: string(), schema: described(jsonSchema, 'Object schema of the answer.') }),
  object({ mode: literal('url'), message: string(), url: string({ description: 'Page for the person to visit.' }) }),
]);

const shownRequestSchema = sameAs<ShownRequest>()(
  object(
    {
      id: string(),
      runId: string(),
      sessionId: string(),
      callId: string(),
      principal: string(),
      tool: string(),
      description: string(),
      risk,
      requestedAt: timestamp,
      expiresAt: timestamp,
    },
    {
      agent: string({ description: 'Name of the agent that makes the call.' }),
      partOfRunId: string({
        description: 'Run whose call runs the script "runId". An approval for the whole run covers the calls of both.',
      }),
      summary: string(),
      hidden: array(string(), { description: 'JSON pointers of the strings in which a secret is hidden.' }),
      onExpiry: enumOf(['deny', 'park'], {
        description:
          'What happens at "expiresAt" without a decision; default deny. With "park" the request stays open, with the status parked.',
      }),
      elicitation: described(
        elicitationSchema,
        'Input that the running call asks for. The request then does not ask for permission: "approved" answers it, "denied" declines it.',
      ),
    },
  ),
);

type ShownRequest = Omit<ApprovalRequest, 'args' | 'argsDigest' | 'toolDigest' | 'completion'>;

const decisionSchema = object(
  { decision: decisions, decidedAt: timestamp },
  {
    reason: string(),
    approver: string(),
    scope: scopes,
    changedArguments: array(string(), { description: 'Names of the arguments that "modified" changed.' }),
  },
);

/** The arguments as JSON in rows, with marks: the texts of all segments, joined, are the arguments. */
const displaySchema = object({
  rows: array(
    object({
      depth: integer({ minimum: 0 }),
      segments: array(
        object(
          { text: string() },
          {
            mark: enumOf(['hidden', 'invisible', 'space', 'lookalike', 'artifact']),
            note: string({ description: 'Explanation of the mark.' }),
          },
        ),
      ),
    }),
  ),
  artifacts: array(string(), { description: 'Refs of the artifacts whose content will run.' }),
});

const formFieldSchema = object(
  {
    name: string({ description: 'Key in the answer.' }),
    label: string(),
    isRequired: boolean(),
    kind: enumOf(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
  },
  {
    description: string(),
    format: enumOf(['email', 'uri', 'date', 'date-time']),
    minimum: number({ description: 'Smallest number, length of a text or number of choices.' }),
    maximum: number({ description: 'Largest number, length of a text or number of choices.' }),
    choices: array(object({ value: string(), label: string() })),
    default: union([string(), number(), boolean(), array(string())]),
  },
);

/** An approval as approvers see it. */
export const approvalSchema = extend(
  shownRequestSchema,
  {
    status: statuses,
    sequence,
    argsLength: integer({ minimum: 0, description: 'Length of the arguments as JSON, in characters.' }),
  },
  {
    args: described(jsonObject, 'Redacted; absent in lists when too long.'),
    display: displaySchema,
    form: array(formFieldSchema, { description: 'Fields of the form of a request for input.' }),
    answer: decisionSchema,
  },
);

/** An approval as approvers see it: redacted arguments, no digests. */
export type ApprovalView = ValueOf<typeof approvalSchema>;

type ShownChange = Pick<ApprovalChange, Exclude<keyof ApprovalChange, 'approvalId' | 'runId' | 'principal' | 'tool'>>;

/** A line of the audit log of one approval. */
export const approvalChangeSchema = sameAs<ShownChange>()(
  object({ sequence: count, to: statuses, at: timestamp }, { from: statuses, actor: string(), reason: string() }),
);

/** A line of the audit log of one approval. */
export type ApprovalChangeView = ValueOf<typeof approvalChangeSchema>;

/** A page of approvals. */
const approvalListSchema = extend(page(approvalSchema), {
  unreadable: integer({ minimum: 0, description: 'Number of damaged records that were left out.' }),
  sequence: integer({ minimum: 0, description: 'Number of the last change that the list includes.' }),
  now: timestamp,
});

/** A page of approvals, with where to resume the stream of their changes. */
export type ApprovalList = ValueOf<typeof approvalListSchema>;

/** An event of the stream of approvals. */
export const approvalEventSchema = union([
  extend(
    object({ type: literal('approval'), sequence: count, change: approvalChangeSchema, now: timestamp }),
    {},
    { approval: approvalSchema },
  ),
  object({ type: literal('reset') }),
]);

/** An event of the stream of approvals; after `reset` the list has to be read again. */
export type ApprovalEvent = ValueOf<typeof approvalEventSchema>;

/** Refusal of a decision that came too late, with the approval as it is. */
const lateDecisionSchema = extend(problemSchema, { approval: approvalSchema });

/** Refusal of changed arguments or of an answer, with the place of each problem. The request stays pending. */
const invalidEditSchema = extend(problemSchema, {
  problems: array(
    object({
      pointer: string({ description: 'JSON pointer of the field; empty for all arguments.' }),
      message: string(),
    }),
  ),
});

/** Operations on approvals. */
export const approvals = {
  list: operation({
    method: 'get',
    path: '/v1/approvals',
    summary: 'List the approvals of the caller, newest first; of every principal with the role approve or admin.',
    query: strictObject({}, { status: statusFilter, runId: requestId, sessionId: requestId, ...pageQuery }),
    responses: { 200: json(approvalListSchema) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  // Before the operation with an id, because the first path that matches is served.
  events: operation({
    method: 'get',
    path: '/v1/approvals/events',
    summary: 'Stream the changes of approvals as server-sent events, from now or after Last-Event-ID.',
    query: strictObject({}, { after: integer({ minimum: 0 }) }),
    responses: {},
    events: approvalEventSchema,
    errors: ['E_STREAMS_EXHAUSTED'],
  }),
  get: operation({
    method: 'get',
    path: '/v1/approvals/{id}',
    summary: 'Get an approval with all its arguments and its audit log.',
    responses: {
      200: json(object({ approval: approvalSchema, changes: array(approvalChangeSchema), now: timestamp })),
    },
    errors: ['E_APPROVAL_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
  artifact: operation({
    method: 'get',
    path: '/v1/approvals/{id}/artifacts/{ref}',
    role: 'approve',
    summary: 'Get the content of an artifact that a pending call will run with.',
    responses: { 200: raw('*/*') },
    errors: ['E_APPROVAL_UNKNOWN', 'E_ARTIFACT_UNKNOWN', 'E_STATE_UNAVAILABLE'],
  }),
  decide: operation({
    method: 'post',
    path: '/v1/approvals/{id}/decision',
    endsWork: true,
    summary:
      'Decide a pending or parked approval, with the role approve or admin, or answer an own request for input. Only the first decision counts.',
    body: strictObject(
      { decision: decisions },
      {
        reason: string({ maxLength: 4_000, description: 'Sent to the model.' }),
        modifiedArgs: described(jsonObject, 'Arguments to run with, for "modified".'),
        content: described(jsonObject, 'Answer to the form of an elicitation, for "approved".'),
        scope: enumOf(['once', 'run'], {
          description: 'With "run" it also approves later calls of the same tool in the run; default "once".',
        }),
      },
    ),
    responses: { 200: json(object({ approval: approvalSchema })) },
    refusals: { 409: json(lateDecisionSchema), 410: json(lateDecisionSchema), 422: json(invalidEditSchema) },
    errors: [
      'E_APPROVAL_UNKNOWN',
      'E_APPROVAL_FOUR_EYES',
      'E_APPROVAL_EDIT_INVALID',
      'E_APPROVAL_DECIDED',
      'E_APPROVAL_EXPIRED',
      'E_APPROVAL_WITHDRAWN',
      'E_STATE_UNAVAILABLE',
    ],
  }),
} as const;
