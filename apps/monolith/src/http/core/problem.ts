import { isKernelError, KernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { currentRequest } from '../../logging/current-request.ts';

/** Codes of what HTTP itself refuses. What the invoker refuses is a result with status 200. */
export type ProblemCode =
  | 'E_REQUEST_INVALID'
  | 'E_ORIGIN_FORBIDDEN'
  | 'E_ROUTE_UNKNOWN'
  | 'E_METHOD_NOT_ALLOWED'
  | 'E_BODY_TOO_LARGE'
  | 'E_CONTENT_TYPE'
  | 'E_CANCELLED'
  | 'E_UNAUTHENTICATED'
  | 'E_FORBIDDEN'
  | 'E_RATE_LIMITED'
  | 'E_BUSY'
  | 'E_ARGUMENTS_INVALID'
  | 'E_TOOL_UNKNOWN'
  | 'E_APPROVAL_UNKNOWN'
  | 'E_ARTIFACT_UNKNOWN'
  | 'E_RANGE_INVALID'
  | 'E_JOB_UNKNOWN'
  | 'E_SNIPPET_UNKNOWN'
  | 'E_SNIPPET_INVALID'
  | 'E_SNIPPET_OUTDATED'
  | 'E_SNIPPET_UNAVAILABLE'
  | 'E_TOOL_NAME_CONFLICT'
  | 'E_UNSUPPORTED'
  | 'E_RUN_NOT_FOUND'
  | 'E_RUN_SUSPENDED'
  | 'E_STATE_CONFLICT'
  | 'E_STATE_UNAVAILABLE'
  | 'E_STREAMS_EXHAUSTED'
  | 'E_SHUTTING_DOWN';

const statusByCode: Readonly<Record<ProblemCode, ContentfulStatusCode>> = {
  E_REQUEST_INVALID: 400,
  E_ORIGIN_FORBIDDEN: 403,
  E_ROUTE_UNKNOWN: 404,
  E_METHOD_NOT_ALLOWED: 405,
  E_BODY_TOO_LARGE: 413,
  E_CONTENT_TYPE: 415,
  E_CANCELLED: 503,
  E_UNAUTHENTICATED: 401,
  E_FORBIDDEN: 403,
  E_RATE_LIMITED: 429,
  E_BUSY: 429,
  E_ARGUMENTS_INVALID: 400,
  E_TOOL_UNKNOWN: 404,
  E_APPROVAL_UNKNOWN: 404,
  E_ARTIFACT_UNKNOWN: 404,
  E_RANGE_INVALID: 416,
  E_JOB_UNKNOWN: 404,
  E_SNIPPET_UNKNOWN: 404,
  E_SNIPPET_INVALID: 422,
  E_SNIPPET_OUTDATED: 409,
  E_SNIPPET_UNAVAILABLE: 503,
  E_TOOL_NAME_CONFLICT: 409,
  E_UNSUPPORTED: 422,
  E_RUN_NOT_FOUND: 404,
  E_RUN_SUSPENDED: 503,
  E_STATE_CONFLICT: 409,
  E_STATE_UNAVAILABLE: 503,
  E_STREAMS_EXHAUSTED: 503,
  E_SHUTTING_DOWN: 503,
};

/** A refusal of a request; the message is shown to the client, which may come again after `retryAfterMs`. */
export function problem(code: ProblemCode, message: string, retryAfterMs?: number): KernelError {
  return new KernelError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** `{ error: { code, message } }` with the status of the code. Anything that is no {@link problem} says nothing of the inside. */
export function answerProblem(context: Context, error: Error, logger: Logger): Response {
  if (isKernelError(error) && Object.hasOwn(statusByCode, error.code)) {
    const { code, message, retryAfterMs } = error;
    if (retryAfterMs !== undefined) context.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
    if (code === 'E_UNAUTHENTICATED') context.header('www-authenticate', 'Bearer');
    return context.json({ error: { code, message } }, statusByCode[code as ProblemCode]);
  }
  logger.error('a request failed', { ...currentRequest.getStore(), method: context.req.method, error });
  return context.json({ error: { code: 'E_INTERNAL', message: 'The request failed inside the server' } }, 500);
}
