import { isWebApprovalHandler } from '@ravi/approval-web';
import { Hono } from 'hono';
import { addressOf } from '../core/mount.ts';
import type { ApprovalHandler } from '@ravi/kernel';
import type { Access } from '../../access/access.ts';
import type { CallerApprovals } from '../../access/caller-approvals.ts';

/** The approval page and its API, when the approval handler answers over HTTP; else nothing. */
export function approvalRoutes({
  approvalHandler,
  callerApprovals,
  access,
}: {
  readonly approvalHandler: ApprovalHandler;
  readonly callerApprovals: CallerApprovals | undefined;
  readonly access: Access;
}): Hono {
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
