import type { MiddlewareHandler } from 'hono';

/** Lets go of what an answer to `HEAD` would have sent: nobody reads it, and it may hold a file open. */
export const headWithoutBody: MiddlewareHandler = async (context, next) => {
  await next();
  if (context.req.method === 'HEAD') await context.res.body?.cancel();
};
