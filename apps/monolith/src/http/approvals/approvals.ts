import { isWebApprovalHandler } from '@ravi/approval-web';
import { Hono } from 'hono';
import { addressOf } from '../core/mount.ts';
import type { HttpAppOptions } from '../app.ts';

/** The approval page and its API, when the approval handler answers over HTTP; else nothing. */
export function approvalRoutes({
  approvalHandler,
  callerApprovals,
  access,
}: Pick<HttpAppOptions, 'approvalHandler' | 'callerApprovals' | 'access'>): Hono {
  const routes = new Hono();
  if (!isWebApprovalHandler(approvalHandler)) return routes;
  routes.on(['GET', 'POST', 'DELETE'], ['/approvals', '/approvals/', '/v1/approvals/*'], (context) => {
    const { raw: request } = context.req;
    const address = addressOf(context);
    if (callerApprovals !== undefined) {
      return callerApprovals.fetchAs(access.authenticate(request.headers, address), request);
    }
    return approvalHandler.fetch(request, address === '' ? {} : { address });
  });
  return routes;
}
