import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/** Where a request comes from; empty when the app is called without a server. */
export function addressOf({ env }: Pick<Context, 'env'>): string {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  return incoming?.socket?.remoteAddress ?? '';
}
