import { problemStatus } from '@ravi/api';
import type { ProblemCode } from '@ravi/api';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import type { Context } from 'hono';
import { RunProblem } from '../../runs/run-problem.ts';
import { currentRequest } from '../../logging/current-request.ts';

/** Returns the error of a refused request. The client receives the message, and may retry after `retryAfterMs`. */
export function problem(code: ProblemCode, message: string, retryAfterMs?: number): KernelError {
  return new KernelError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/**
 * Responds with `{ error: { code, message } }` and the status of the code. An error of the store is logged with its cause. Every
 * other error, `E_INTERNAL` included, is logged and reveals no internals.
 */
export function answerProblem(context: Context, error: Error, logger: Logger): Response {
  const request = { ...currentRequest.getStore(), method: context.req.method };
  if (isKernelError(error) && error.code !== 'E_INTERNAL' && Object.hasOwn(problemStatus, error.code)) {
    const { code, message, retryAfterMs } = error;
    if (code === 'E_STATE_UNAVAILABLE') logger.warn('the state store failed a request', { ...request, error });
    if (retryAfterMs !== undefined) context.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
    if (code === 'E_UNAUTHENTICATED') context.header('www-authenticate', 'Bearer');
    const about = error instanceof RunProblem ? { runId: error.runId } : {};
    return context.json({ error: { code, message }, ...about }, problemStatus[code as ProblemCode]);
  }
  logger.error('request failed', { ...request, error });
  return context.json(
    { error: { code: 'E_INTERNAL', message: 'The request failed with an internal error; see the log of the server' } },
    500,
  );
}
