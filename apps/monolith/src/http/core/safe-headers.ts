import type { MiddlewareHandler } from 'hono';

const defaults = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** Adds security headers that a response does not set itself. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  // Not with `context.header`, which creates a new response for each header.
  const { headers } = context.res;
  for (const [name, value] of defaults) {
    if (!headers.has(name)) headers.set(name, value);
  }
  // Arguments of calls, refusals included, must not stay in a cache.
  if (isAboutApprovals(context.req.path) && !headers.has('cache-control')) headers.set('cache-control', 'no-store');
};

function isAboutApprovals(path: string): boolean {
  return path === '/v1/approvals' || path.startsWith('/v1/approvals/');
}

/** Cancels the body of a response to `HEAD`, which would keep a file open. */
export const headWithoutBody: MiddlewareHandler = async (context, next) => {
  await next();
  if (context.req.method === 'HEAD') await context.res.body?.cancel();
};
