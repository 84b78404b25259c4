import type {
  ApprovalTrace,
  CallAttempt,
  ChainCallRecord,
  ChainFile,
  ConsoleLine,
  InvocationResult,
} from '@ravi/kernel';
import { array, boolean, enumOf, extend, integer, object, sameAs, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, errorSchema, jsonValue, milliseconds, timestamp } from './values.ts';

/** Author of a call: the model, or a script of the model. */
export const callerSchema = enumOf(['direct', 'chain']);

/** Outcome of the approval of a call. */
export const approvalTraceSchema = sameAs<ApprovalTrace>()(
  object(
    {
      requestId: string(),
      decision: enumOf(['approved', 'denied', 'skipped', 'modified', 'timeout', 'no-handler', 'run-scope']),
      waitedMs: milliseconds,
    },
    {
      approver: string(),
      reason: string(),
      edit: object({
        before: string({ description: 'Digest of the requested arguments.' }),
        after: string({ description: 'Digest of the arguments that the approver chose.' }),
        changed: array(string(), { description: 'JSON pointers of the changed fields, at most 50.' }),
      }),
    },
  ),
);

const attemptSchema = sameAs<CallAttempt>()(
  object(
    { startedAt: timestamp, durationMs: milliseconds },
    { error: object({ code: string(), message: string({ description: 'At most 500 bytes.' }) }) },
  ),
);

/** Attempts of a call that was repeated. */
export const attemptsSchema = array(attemptSchema, {
  description: 'Present if the call was repeated: every attempt, the last one included.',
});

/** A call without its place in the run. */
export const callRecordSchema = sameAs<ChainCallRecord>()(
  object(
    {
      callId: string(),
      tool: string(),
      caller: callerSchema,
      argsDigest: string({ description: 'Keyed digest of the arguments, hmac-sha256:<hex>.' }),
      argsPreview: string({ description: 'Redacted and bounded.' }),
      status: enumOf(['started', 'ok', 'error', 'denied', 'timeout', 'cancelled', 'unknown']),
      startedAt: timestamp,
      durationMs: milliseconds,
    },
    {
      errorCode: string(),
      approval: approvalTraceSchema,
      artifactRef: string(),
      bytes: integer({ minimum: 0, description: 'Size of the result.' }),
      late: boolean({ description: 'The tool returned after its time-out or cancellation; the result was dropped.' }),
      attempts: attemptsSchema,
    },
  ),
);

/** A call of a run. */
export const callSchema = extend(
  callRecordSchema,
  {},
  {
    parentId: string({ description: 'The call that ran the script or the sub-agent which made this call.' }),
    runId: string({ description: 'The run of the sub-agent that made the call; absent for the run itself.' }),
    parentRunId: string({
      description: 'The run of the call in "parentId", if it is another one than that of the call.',
    }),
    childRunId: string({ description: 'The run of the script or sub-agent that works for the call.' }),
  },
);

/** A call of a run; a call inside a script or of a sub-agent names the call that ran it. */
export type Call = ValueOf<typeof callSchema>;

/** A file that a call or script made. */
export const fileSchema = sameAs<ChainFile>()(
  object({ path: string(), mediaType: string(), artifactRef: string(), bytes: count }, { name: string() }),
);

/** Result of a call. */
export const invocationResultSchema = sameAs<InvocationResult>()(
  object(
    {
      status: enumOf(['ok', 'error', 'denied']),
      text: string({ description: 'The text for the model; a preview with a note when the result was stored.' }),
      files: array(fileSchema),
    },
    { structured: jsonValue, artifactRef: string(), preview: string(), error: errorSchema },
  ),
);

/** A line that a script wrote to its console. */
export const consoleLineSchema = sameAs<ConsoleLine>()(
  object({ level: enumOf(['log', 'info', 'warn', 'error', 'debug']), text: string() }),
);
