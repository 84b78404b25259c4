import type { ChainError, ChainPolicy, ChainRunResult, WholeResult } from '@ravi/kernel';
import { callRecordSchema, consoleLineSchema, fileSchema } from './calls.ts';
import { contentBlockSchema } from './models.ts';
import { json, operation } from './operation.ts';
import { recordedEventSchema } from './run-events.ts';
import { described, array, enumOf, extend, integer, object, sameAs, strictObject, string, typed } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, jsonValue, language, milliseconds, risk } from './values.ts';

/** Limits of one run. */
export const policySchema = sameAs<ChainPolicy>()(
  object({
    maxToolCalls: count,
    maxScriptCalls: count,
    callTimeoutMs: milliseconds,
    maxToolRetries: count,
    toolRetryDelayMs: milliseconds,
    approvalTimeoutMs: milliseconds,
    totalTimeoutMs: milliseconds,
    maxInlineResultBytes: count,
    maxScriptResultBytes: count,
    maxPreviewBytes: count,
    maxInFlight: count,
    maxRiskUnapproved: enumOf(['safe', 'high']),
    defaultRisk: risk,
    maxArgumentBytes: count,
    maxCallOutputBytes: count,
    maxConsoleBytes: count,
    maxResultBytes: count,
    maxSourceBytes: count,
    maxScriptFiles: count,
    maxScriptFileBytes: count,
    memoryLimitBytes: count,
    cpuTimeMs: milliseconds,
  }),
);

/** A failure of a script, in its own lines. */
export const chainErrorSchema = sameAs<ChainError>()(
  object(
    { code: string(), message: string() },
    {
      line: integer({ minimum: 0, description: 'From 1.' }),
      column: integer({ minimum: 0, description: 'From 1.' }),
      excerpt: string(),
      suggestion: string(),
    },
  ),
);

const wholeResultSchema = sameAs<WholeResult>()(object({ artifactRef: string(), bytes: count }));

const runResultSchema = sameAs<ChainRunResult>()(
  object(
    {
      status: enumOf(['ok', 'error', 'timeout', 'cancelled', 'paused']),
      outputText: string({ description: 'The text for the model: the value, or the report of the error.' }),
      outputBlocks: array(contentBlockSchema),
      logs: array(consoleLineSchema),
      toolCalls: count,
      durationMs: milliseconds,
      callTrace: array(callRecordSchema),
    },
    {
      value: jsonValue,
      whole: wholeResultSchema,
      error: chainErrorSchema,
      warnings: array(chainErrorSchema),
      files: array(fileSchema),
    },
  ),
);

/** Outcome of a script. */
export const chainResultSchema = extend(
  runResultSchema,
  {},
  { runId: string({ description: 'Present with a state store.' }) },
);

/** Outcome of a script; `runId` is present when the server has a state store. */
export type ChainResult = ValueOf<typeof chainResultSchema>;

/** Findings of a check of a script. */
export const checkReportSchema = object({ mistakes: array(chainErrorSchema), warnings: array(chainErrorSchema) });

/** Findings of a check of a script; a script with a mistake is certain to fail. */
export type CheckReport = ValueOf<typeof checkReportSchema>;

/** The parts of a request that runs a script. */
export const scriptFields = {
  code: string({ description: 'The script.' }),
  language: described(language, 'Default: JavaScript, which includes TypeScript.'),
  policy: typed<Partial<ChainPolicy>>({ type: 'object', description: 'Fields of the policy that this run tightens.' }),
  approve: enumOf(['each', 'set'], {
    description:
      'With "set" a dry run collects the calls that need approval, and one request asks for all of them. Default: "each".',
  }),
} as const;

/** Query of operations that run a script. */
export const streamQuery = {
  stream: enumOf(['0', '1'], {
    description: "Set to 1 to stream the run's events; the run continues if the client disconnects.",
  }),
} as const;

const { code, ...scriptOptions } = scriptFields;

/** Operations on scripts that are not durable runs of their own. */
export const chains = {
  run: operation({
    method: 'post',
    path: '/v1/chains',
    keyed: 'run',
    summary: 'Run a script and wait for its result, or follow its events.',
    role: 'run',
    query: strictObject({}, streamQuery),
    body: strictObject({ code }, scriptOptions),
    responses: { 200: json(chainResultSchema) },
    events: recordedEventSchema,
    endEvent: 'run-end',
    errors: [
      'E_UNSUPPORTED',
      'E_NOT_STARTED',
      'E_CALL_UNKNOWN',
      'E_STATE_UNAVAILABLE',
      'E_RUN_SUSPENDED',
      'E_SANDBOX_UNAVAILABLE',
    ],
  }),
  check: operation({
    method: 'post',
    path: '/v1/chains/check',
    summary: 'Check a script against the tools that it calls, without running it.',
    role: 'run',
    body: strictObject({ code }, { language: scriptFields.language }),
    responses: { 200: json(checkReportSchema) },
    errors: [],
  }),
} as const;
