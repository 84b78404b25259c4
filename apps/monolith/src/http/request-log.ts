import type { Clock, Logger } from '@ravi/kernel';
import type { MiddlewareHandler } from 'hono';

/** Gives each request an id and notes how it was answered; never its headers, query or body. */
export function requestLog({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): MiddlewareHandler {
  return async (context, next) => {
    const requestId = crypto.randomUUID();
    const started = clock.monotonic();
    await next();
    context.header('x-request-id', requestId);
    const { method, path } = context.req;
    const fields = { requestId, method, path, status: context.res.status, durationMs: clock.monotonic() - started };
    if (method === 'GET') logger.debug('request', fields);
    else logger.info('request', fields);
  };
}
