import type { ProgressUpdate } from '@ravi/kernel';
import { approvalTraceSchema, callerSchema, callRecordSchema, consoleLineSchema } from './calls.ts';
import { usageSchema } from './models.ts';
import { array, boolean, enumOf, extend, integer, literal, number, object, sameAs, string, union } from './schema.ts';
import type { ObjectSchema, Schema, ValueOf } from './schema.ts';
import { count, milliseconds, risk, timestamp } from './values.ts';

/** A question of an agent to its user. */
export const questionSchema = object(
  { callId: string({ description: 'The call that asks.' }), tool: string(), question: string() },
  { choices: array(string(), { description: 'Suggestions; any other text is accepted too.' }) },
);

/** A question of an agent to its user. */
export type Question = ValueOf<typeof questionSchema>;

const progressSchema = sameAs<ProgressUpdate>()(
  object({}, { fraction: number({ description: 'From 0 to 1.' }), message: string() }),
);

/** Keys of events that belong to a call. */
const parentId = string({ description: 'The call or run that it happened in.' });
const place = { callId: string(), parentId };

const failureSchema = object({ code: string(), message: string() });

/** The `data` of each event of a run, by its type. */
export const runEventData = {
  run: object(
    { status: enumOf(['running', 'paused']) },
    {
      kind: enumOf(['agent', 'chain']),
      task: string(),
      isResumed: boolean(),
      wasInterrupted: boolean({ description: 'The process that ran it before ended.' }),
      questions: array(questionSchema),
    },
  ),
  step: object({ step: count, status: enumOf(['started', 'ended']) }),
  'model-delta': object({ text: string() }),
  'reasoning-delta': object({ text: string() }),
  'tool-call': object({ callId: string(), tool: string(), caller: callerSchema, argsPreview: string() }, { parentId }),
  'tool-progress': object({ callId: string(), tool: string(), update: progressSchema }),
  'tool-result': object(
    {
      callId: string(),
      tool: string(),
      caller: callerSchema,
      status: enumOf(['ok', 'error', 'denied', 'timeout', 'cancelled']),
      durationMs: milliseconds,
      argsPreview: string(),
    },
    { parentId, bytes: count, artifactRef: string(), errorCode: string() },
  ),
  'approval-requested': object({ tool: string(), requestId: string(), risk }, place),
  'approval-decided': object({ tool: string(), approval: approvalTraceSchema }, place),
  console: extend(consoleLineSchema, {}, place),
  artifact: object({ ref: string(), mediaType: string(), bytes: count }, { ...place, tool: string() }),
  usage: extend(
    usageSchema,
    { step: count, provider: string() },
    { model: string(), cost: number({ description: 'In the currency of the price table.' }) },
  ),
  'run-ended': object(
    { status: string() },
    {
      reason: string(),
      text: string({ description: 'Final text of the agent.' }),
      steps: count,
      usage: usageSchema,
      trace: array(callRecordSchema),
      durationMs: milliseconds,
      toolCalls: count,
      error: failureSchema,
    },
  ),
} as const;

/** The `data` of each event of a run, by its type. */
export type RunEventData = {
  readonly [Type in keyof typeof runEventData]: ValueOf<(typeof runEventData)[Type]>;
};

/** Type of an event of a run. */
export type RunEventType = keyof RunEventData;

/** An event of a run. Deltas are for display; every other event says what happened. */
export type RunEvent = {
  readonly [Type in RunEventType]: {
    readonly type: Type;
    /** From 1, without gaps. Resume after it with `Last-Event-ID`. */
    readonly sequence: number;
    /** Milliseconds since the Unix epoch. */
    readonly at: number;
    readonly data: RunEventData[Type];
  };
}[RunEventType];

/** An event of a run. */
export const runEventSchema = union(
  Object.entries(runEventData).map(([type, data]) => eventSchema(type as RunEventType, data)),
) as Schema<RunEvent>;

function eventSchema(type: RunEventType, data: ObjectSchema<unknown>): ObjectSchema<unknown> {
  return object({
    type: literal(type),
    sequence: integer({ minimum: 1, description: 'From 1, without gaps.' }),
    at: timestamp,
    data,
  });
}
