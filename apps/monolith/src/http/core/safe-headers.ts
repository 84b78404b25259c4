import type { MiddlewareHandler } from 'hono';

const usual = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** Says to browsers what they may not do with an answer, where the answer does not say it itself. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  // Not by `context.header`, which makes a new answer for each.
  const { headers } = context.res;
  for (const [name, value] of usual) {
    if (!headers.has(name)) headers.set(name, value);
  }
};

/** Lets go of what an answer to `HEAD` would have sent: nobody reads it, and it may hold a file open. */
export const headWithoutBody: MiddlewareHandler = async (context, next) => {
  await next();
  if (context.req.method === 'HEAD') await context.res.body?.cancel();
};
