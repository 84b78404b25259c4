import type { MiddlewareHandler } from 'hono';

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Says to browsers what they may not do with an answer, where the answer does not say it itself. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) {
    if (!context.res.headers.has(name)) context.header(name, value);
  }
};
