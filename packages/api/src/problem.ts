import { object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

/**
 * Status of each refusal, by its code. What the invoker refuses is not a refusal of HTTP but a result with status 200.
 */
export const problemStatus = {
  E_REQUEST_INVALID: 400,
  E_ARGUMENTS_INVALID: 400,
  E_UNAUTHENTICATED: 401,
  E_FORBIDDEN: 403,
  E_ORIGIN_FORBIDDEN: 403,
  E_APPROVAL_FOUR_EYES: 403,
  E_AGENT_UNKNOWN: 404,
  E_APPROVAL_UNKNOWN: 404,
  E_ARTIFACT_UNKNOWN: 404,
  E_CHANNEL_UNKNOWN: 404,
  E_COMPLETION_UNKNOWN: 404,
  E_JOB_UNKNOWN: 404,
  E_MEMORY_UNKNOWN: 404,
  E_ROUTE_UNKNOWN: 404,
  E_RUN_NOT_FOUND: 404,
  E_SNIPPET_UNKNOWN: 404,
  E_SOURCE_UNKNOWN: 404,
  E_TOOL_UNKNOWN: 404,
  E_TRIGGER_UNKNOWN: 404,
  E_WORKSPACE_UNKNOWN: 404,
  E_METHOD_NOT_ALLOWED: 405,
  E_APPROVAL_DECIDED: 409,
  E_COMPLETION_ENDED: 409,
  E_SNIPPET_OUTDATED: 409,
  E_CALL_UNKNOWN: 409,
  E_RUN_ENDED: 409,
  E_SESSION_BUSY: 409,
  E_STATE_CONFLICT: 409,
  E_TOOL_NAME_CONFLICT: 409,
  E_APPROVAL_EXPIRED: 410,
  E_APPROVAL_WITHDRAWN: 410,
  E_BODY_TOO_LARGE: 413,
  E_CONTENT_TYPE: 415,
  E_RANGE_INVALID: 416,
  E_APPROVAL_EDIT_INVALID: 422,
  E_KEY_REUSED: 422,
  E_OUTPUT_INVALID: 422,
  E_SNIPPET_INVALID: 422,
  E_UNSUPPORTED: 422,
  E_WORKSPACE_INVALID: 422,
  E_BUDGET_EXHAUSTED: 429,
  E_BUSY: 429,
  E_RATE_LIMITED: 429,
  E_INTERNAL: 500,
  E_NOT_CONFIGURED: 501,
  E_CANCELLED: 503,
  E_NOT_STARTED: 503,
  E_RUN_SUSPENDED: 503,
  E_SHUTTING_DOWN: 503,
  E_SNIPPET_UNAVAILABLE: 503,
  E_SOURCE_UNAVAILABLE: 503,
  E_STATE_UNAVAILABLE: 503,
  E_ENGINE_UNAVAILABLE: 503,
  E_SANDBOX_UNAVAILABLE: 503,
  E_STREAMS_EXHAUSTED: 503,
  E_ARTIFACT_QUOTA: 507,
} as const satisfies Readonly<Record<string, number>>;

/** Code of a refusal over HTTP. */
export type ProblemCode = keyof typeof problemStatus;

/** Body of every refusal. */
export const problemSchema = object(
  { error: object({ code: string({ pattern: '^E_[A-Z_]+$' }), message: string() }) },
  { runId: string({ description: 'Run that the refusal is about, or that continues without this request.' }) },
);

/** Body of every refusal; some refusals add keys next to `error`. */
export type Problem = ValueOf<typeof problemSchema>;
