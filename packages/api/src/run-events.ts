import type { AwaitedApproval, ProgressUpdate, Question, RunEvent, RunEventOf, RunEventType } from '@ravi/kernel';
import { approvalTraceSchema, attemptsSchema, callerSchema, consoleLineSchema } from './calls.ts';
import { usageSchema } from './models.ts';
import { array, boolean, enumOf, extend, integer, literal, number, object, sameAs, string, union } from './schema.ts';
import type { ObjectSchema, Schema } from './schema.ts';
import { count, milliseconds, modelErrorSchema, risk, timestamp } from './values.ts';

/** A question of a tool to the user. */
export const questionSchema = sameAs<Question>()(
  object(
    {
      callId: string({
        description:
          'The call that asks. For a question of a sub-agent: the id of its call, a dot, and the id of the call that asks.',
      }),
      tool: string(),
      question: string(),
    },
    {
      choices: array(string(), { description: 'Suggestions; any other text is accepted too.' }),
      agent: string({ description: 'The sub-agent that asks.' }),
      runId: string({ description: 'The run of that sub-agent.' }),
    },
  ),
);

const progressSchema = sameAs<ProgressUpdate>()(
  object({}, { fraction: number({ description: 'From 0 to 1.' }), message: string() }),
);

/** Data of an event: the event without its type and the ids that all events of a run share. */
type DataOf<Type extends RunEventType> = Omit<RunEventOf<Type>, 'type' | 'runId' | 'sessionId'>;

const parentId = string({ description: 'The call or run that it happened in.' });
const place = { callId: string(), parentId };
const call = { callId: string(), tool: string() };
const begunCall = { ...call, caller: callerSchema, argsPreview: string({ description: 'Redacted and bounded.' }) };
const elicitation = enumOf(['form', 'url'], {
  description: 'Mode of the input that the running call asks for; absent if the call needs permission.',
});
const progressOfAgent = { agent: string(), steps: count, usage: usageSchema };
const awaitedApprovalSchema = sameAs<AwaitedApproval>()(
  object(
    { id: string(), ...call, risk, expiresAt: timestamp },
    {
      onExpiry: enumOf(['deny', 'park']),
      isCompletion: boolean({ description: 'The call waits for its result from outside.' }),
    },
  ),
);
const failureSchema = object({ code: string(), message: string() });

/** Schema of the `data` of each event of a run, by the type of the event. */
export const recordedEventData = {
  'run-start': sameAs<DataOf<'run-start'>>()(
    object(
      { kind: enumOf(['agent', 'chain']) },
      {
        ...place,
        agent: string(),
        task: string(),
        isResumed: boolean(),
        wasInterrupted: boolean({ description: 'The process that ran it before ended.' }),
        isAlone: boolean({ description: 'It is resumed apart from other runs that may be the cause of crashes.' }),
        aboveEpoch: integer({ description: 'Of a sub-agent: the epoch of the run above in which it began.' }),
      },
    ),
  ),
  'run-paused': sameAs<DataOf<'run-paused'>>()(
    object(
      { questions: array(questionSchema) },
      {
        ...place,
        ...progressOfAgent,
        reason: enumOf(['question', 'approval', 'changed'], { description: 'What the run waits for.' }),
        approvals: array(awaitedApprovalSchema, { description: 'Requests for approval that are open, oldest first.' }),
        error: failureSchema,
      },
    ),
  ),
  'run-suspended': sameAs<DataOf<'run-suspended'>>()(object({}, place)),
  'run-accompanied': sameAs<DataOf<'run-accompanied'>>()(object({}, place)),
  'run-end': sameAs<DataOf<'run-end'>>()(
    object(
      { status: enumOf(['completed', 'stopped', 'failed', 'cancelled', 'ok', 'error', 'timeout']) },
      {
        ...place,
        ...progressOfAgent,
        reason: string({ description: 'Reason why the run of an agent ended.' }),
        text: string({ description: 'Final text of the agent.' }),
        durationMs: milliseconds,
        toolCalls: count,
        error: failureSchema,
      },
    ),
  ),
  'step-start': sameAs<DataOf<'step-start'>>()(object({ agent: string(), step: count }, place)),
  'step-end': sameAs<DataOf<'step-end'>>()(
    object({ agent: string(), step: count, toolCalls: count, usage: usageSchema }, place),
  ),
  'model-retry': sameAs<DataOf<'model-retry'>>()(
    object(
      {
        attempt: integer({ minimum: 1, description: 'The attempt that failed; its deltas are void.' }),
        delayMs: milliseconds,
        error: modelErrorSchema,
      },
      place,
    ),
  ),
  'model-delta': sameAs<DataOf<'model-delta'>>()(object({ text: string() }, place)),
  'reasoning-delta': sameAs<DataOf<'reasoning-delta'>>()(object({ text: string() }, place)),
  'model-text': sameAs<DataOf<'model-text'>>()(object({ text: string() }, { ...place, reasoning: string() })),
  'model-end': sameAs<DataOf<'model-end'>>()(
    object(
      { agent: string(), step: count, provider: string(), usage: usageSchema },
      {
        ...place,
        model: string({ description: 'Model that responded, as the provider names it.' }),
        stopReason: enumOf(['end', 'tool-use', 'length', 'refusal', 'pause', 'other']),
        errorCode: string(),
        cost: number({ description: 'In the currency of the price table.' }),
      },
    ),
  ),
  'model-lent': sameAs<DataOf<'model-lent'>>()(
    object(
      { ...call, provider: string(), model: string() },
      { parentId, usage: usageSchema, errorCode: string({ description: 'Present if the model gave no answer.' }) },
    ),
  ),
  handoff: sameAs<DataOf<'handoff'>>()(
    object({ agent: string(), to: string(), childRunId: string({ description: 'Run of the agent.' }) }, place),
  ),
  'tool-call': sameAs<DataOf<'tool-call'>>()(object(begunCall, { parentId })),
  'tool-progress': sameAs<DataOf<'tool-progress'>>()(object({ ...call, update: progressSchema }, { parentId })),
  'tool-retry': sameAs<DataOf<'tool-retry'>>()(
    object(
      {
        ...call,
        attempt: integer({ minimum: 1, description: 'The attempt that failed.' }),
        delayMs: milliseconds,
        error: object({ code: string(), message: string() }),
      },
      { parentId },
    ),
  ),
  'tool-result': sameAs<DataOf<'tool-result'>>()(
    object(
      { ...begunCall, status: enumOf(['ok', 'error', 'denied', 'timeout', 'cancelled']), durationMs: milliseconds },
      {
        parentId,
        bytes: count,
        artifactRef: string(),
        errorCode: string(),
        wasRecorded: boolean({ description: 'An earlier process recorded the outcome.' }),
        isSuspended: boolean({
          description: 'The run was suspended during the call; another end follows when it continues.',
        }),
        attempts: attemptsSchema,
      },
    ),
  ),
  'approval-requested': sameAs<DataOf<'approval-requested'>>()(
    object({ tool: string(), requestId: string(), risk }, { ...place, elicitation }),
  ),
  'approval-decided': sameAs<DataOf<'approval-decided'>>()(
    object({ tool: string(), approval: approvalTraceSchema }, { ...place, elicitation }),
  ),
  'completion-requested': sameAs<DataOf<'completion-requested'>>()(
    object({ tool: string(), completionId: string(), expiresAt: timestamp }, place),
  ),
  'completion-ended': sameAs<DataOf<'completion-ended'>>()(
    object(
      {
        tool: string(),
        completionId: string(),
        outcome: enumOf(['result', 'error', 'expired', 'ended'], {
          description: '"ended": the call ended otherwise, and its token is withdrawn.',
        }),
        waitedMs: milliseconds,
      },
      place,
    ),
  ),
  'run-input': sameAs<DataOf<'run-input'>>()(
    object(
      { inputId: string({ description: 'After a crash the event may come again with the same id.' }), text: string() },
      place,
    ),
  ),
  console: sameAs<DataOf<'console'>>()(extend(consoleLineSchema, {}, place)),
  artifact: sameAs<DataOf<'artifact'>>()(
    object({ ref: string(), mediaType: string(), bytes: count }, { ...place, tool: string(), name: string() }),
  ),
} as const;

/** Type of an event in the record of a run. */
export type RecordedEventType = keyof typeof recordedEventData;

/** The `data` of each event of a run, by the type of the event. */
export type RecordedEventData = { readonly [Type in RecordedEventType]: DataOf<Type> };

/** An event that the record of a run holds. The record has the ids of the run, so they may be absent. */
export type RecordableEvent = {
  [Type in RecordedEventType]: { readonly type: Type } & Partial<Pick<RunEvent, 'runId' | 'sessionId'>> &
    RecordedEventData[Type];
}[RecordedEventType];

/** Types of the events for display: text as the model writes it, and progress of calls. They are sent, but not stored. */
export const provisionalTypes: ReadonlySet<RecordedEventType> = new Set<RecordedEventType>([
  'model-delta',
  'reasoning-delta',
  'tool-progress',
]);

/**
 * An event of a run. An event with an `id` is stored, and every reader receives it once and in order. An event without one
 * is for display only: the next `model-text` or `tool-result` replaces it.
 */
export type RecordedEvent = {
  readonly [Type in RecordedEventType]: {
    readonly type: Type;
    /** `<epoch>.<number>`. Resume after it with `Last-Event-ID`. Absent for a provisional event. */
    readonly id?: string;
    /** Present if the event is not stored. */
    readonly provisional?: true;
    /** Number of a provisional event, from 1 after each event with an id. After a reconnection some are sent again. */
    readonly part?: number;
    /** Milliseconds since the Unix epoch. */
    readonly at: number;
    readonly data: RecordedEventData[Type];
  };
}[RecordedEventType];

/** Form of the id of an event. */
export const eventIdPattern: string = '^\\d{1,15}\\.\\d{1,15}$';

/** An event of a run. */
export const recordedEventSchema = union(
  Object.entries(recordedEventData).map(([type, data]) => eventSchema(type as RecordedEventType, data)),
) as Schema<RecordedEvent>;

function eventSchema(type: RecordedEventType, data: ObjectSchema<unknown>): ObjectSchema<unknown> {
  const about = { type: literal(type), at: timestamp, data };
  if (!provisionalTypes.has(type)) {
    return object({ ...about, id: string({ pattern: eventIdPattern, description: '`<epoch>.<number>`' }) });
  }
  const part = integer({ minimum: 1, description: 'From 1 after each event with an id.' });
  return object({ ...about, provisional: boolean(), part });
}
