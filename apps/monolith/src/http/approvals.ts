import type { IncomingMessage } from 'node:http';
import { isWebApprovalHandler } from '@ravi/approval-web';
import { Hono } from 'hono';
import type { HttpAppOptions } from './app.ts';

/** The approval page and its API, when the approval handler answers over HTTP; else nothing. */
export function approvalRoutes({
  approvalHandler,
  callerApprovals,
  access,
}: Pick<HttpAppOptions, 'approvalHandler' | 'callerApprovals' | 'access'>): Hono<ServerBindings> {
  const routes = new Hono<ServerBindings>();
  if (!isWebApprovalHandler(approvalHandler)) return routes;
  routes.on(['GET', 'POST', 'DELETE'], ['/approvals', '/approvals/', '/v1/approvals/*'], ({ req, env }) => {
    const address = env.incoming?.socket.remoteAddress;
    if (callerApprovals !== undefined) {
      return callerApprovals.fetchAs(access.authenticate(req.raw.headers, address ?? ''), req.raw);
    }
    return approvalHandler.fetch(req.raw, address === undefined ? {} : { address });
  });
  return routes;
}

/** What Node's server tells beside the request; nothing when the app is called without one. */
interface ServerBindings {
  readonly Bindings: { readonly incoming?: IncomingMessage };
}
