import type { WebApprovalHandler } from '@ravi/approval-web';
import type { Hono } from 'hono';
import { addressOf } from '../core/mount.ts';

/**
 * Serves the page and the API of an approval handler that the configuration names. It has its own tokens, sign-in and
 * limits, and takes the place of the operations on approvals and of the console.
 */
export function mountApprovalWeb(app: Hono, handler: WebApprovalHandler): void {
  app.on(['GET', 'POST', 'DELETE'], ['/approvals', '/approvals/', '/v1/approvals/*'], (context) => {
    const address = addressOf(context);
    return handler.fetch(context.req.raw, address === '' ? {} : { address });
  });
}
