import { trace } from '@opentelemetry/api';
import type { Clock, Logger } from '@ravi/kernel';
import type { MiddlewareHandler, Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { currentRequest } from '../../logging/current-request.ts';

const firstRefusal = 400;
const validId = /^[\w.:-]{1,128}$/;

/**
 * Assigns an id to each request, the client's `X-Request-Id` if valid, returns it as a header, and logs the response. It logs
 * the route, never the path, query, headers or body.
 */
export function requestLog({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    const asked = req.header('x-request-id') ?? '';
    const requestId = validId.test(asked) ? asked : crypto.randomUUID();
    const started = clock.monotonic();
    await currentRequest.run({ requestId }, next);
    context.res.headers.set('x-request-id', requestId);
    const { status } = context.res;
    const caller = context.get('caller');
    const fields = {
      requestId,
      method: req.method,
      route: matchedRoute(context),
      status,
      durationMs: clock.monotonic() - started,
      ...(caller === undefined ? {} : { principal: caller.principal }),
      ...traceOfRequest(),
    };
    if (req.method === 'GET' && status < firstRefusal) logger.debug('request', fields);
    else logger.info('request', fields);
  };
}

function traceOfRequest(): { readonly traceId?: string } {
  const span = trace.getActiveSpan();
  return span === undefined ? {} : { traceId: span.spanContext().traceId };
}

const everything = '/*';

/** Returns the route of a request, such as `/v1/runs/:id`; `/*` if only middleware matched. */
export function matchedRoute(context: Context): string {
  return matchedRoutes(context).find(({ path }) => path !== everything)?.path ?? everything;
}
