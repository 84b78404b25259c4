import { KernelError, isKernelError } from '@ravi/kernel';
import type { KernelErrorOptions, Logger } from '@ravi/kernel';

/** Headers of every response: browsers must not run, frame, cache or sniff it, nor let another site read it. */
export const safeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Creates a response with a JSON body, or without one. */
export function answer(status: number, body?: object, headers: Readonly<Record<string, string>> = {}): Response {
  if (body === undefined) return new Response(null, { status, headers: { ...safeHeaders, ...headers } });
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...safeHeaders, 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}

/** Error codes over HTTP. */
export type ProblemCode =
  | 'E_REQUEST_INVALID'
  | 'E_UNAUTHENTICATED'
  | 'E_FORBIDDEN'
  | 'E_ORIGIN_FORBIDDEN'
  | 'E_APPROVAL_FOUR_EYES'
  | 'E_APPROVAL_UNKNOWN'
  | 'E_ARTIFACT_UNKNOWN'
  | 'E_ROUTE_UNKNOWN'
  | 'E_APPROVAL_DECIDED'
  | 'E_APPROVAL_EXPIRED'
  | 'E_APPROVAL_WITHDRAWN'
  | 'E_BODY_TOO_LARGE'
  | 'E_CONTENT_TYPE'
  | 'E_APPROVAL_EDIT_INVALID'
  | 'E_RATE_LIMITED'
  | 'E_STREAMS_EXHAUSTED'
  | 'E_STATE_UNAVAILABLE'
  | 'E_SHUTTING_DOWN';

const statusByCode: Readonly<Record<ProblemCode, number>> = {
  E_REQUEST_INVALID: 400,
  E_UNAUTHENTICATED: 401,
  E_FORBIDDEN: 403,
  E_ORIGIN_FORBIDDEN: 403,
  E_APPROVAL_FOUR_EYES: 403,
  E_APPROVAL_UNKNOWN: 404,
  E_ARTIFACT_UNKNOWN: 404,
  E_ROUTE_UNKNOWN: 404,
  E_APPROVAL_DECIDED: 409,
  E_APPROVAL_EXPIRED: 410,
  E_APPROVAL_WITHDRAWN: 410,
  E_BODY_TOO_LARGE: 413,
  E_CONTENT_TYPE: 415,
  E_APPROVAL_EDIT_INVALID: 422,
  E_RATE_LIMITED: 429,
  E_STREAMS_EXHAUSTED: 503,
  E_STATE_UNAVAILABLE: 503,
  E_SHUTTING_DOWN: 503,
};

/** Creates the refusal of a request; the message is shown to the client. */
export function problem(code: ProblemCode, message: string, options?: KernelErrorOptions): KernelError {
  return new KernelError(code, message, options);
}

/** Creates the response `{ error: { code, message }, ...more }` with the status of the code. */
export function refuse(error: { readonly code: ProblemCode; readonly message: string }, more: object = {}): Response {
  const { code, message } = error;
  return answer(statusByCode[code], { error: { code, message }, ...more });
}

/** Creates the response to a failed request. For an error that is not a {@link problem} it reveals no details. */
export function answerProblem(error: unknown, logger: Logger): Response {
  if (isKernelError(error, 'E_STATE_INVALID')) return refuse({ code: 'E_REQUEST_INVALID', message: error.message });
  if (isKernelError(error) && Object.hasOwn(statusByCode, error.code)) {
    const response = refuse({ code: error.code as ProblemCode, message: error.message });
    if (error.code === 'E_UNAUTHENTICATED') response.headers.set('www-authenticate', 'Bearer');
    return withRetry(response, error.retryAfterMs);
  }
  logger.error('a request about approvals failed', { error });
  return answer(500, {
    error: { code: 'E_INTERNAL', message: 'The request failed with an internal error; see the log of the server' },
  });
}

function withRetry(response: Response, retryAfterMs: number | undefined): Response {
  if (retryAfterMs !== undefined) response.headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
  return response;
}
