import { createClient } from '@ravi/client';
import { createApiGateway } from '@ravi/mcp-server';
import type { McpEndpoint, McpGateway } from '@ravi/mcp-server';
import type { Context, Hono } from 'hono';
import type { Access } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';
import { addressOf, isSecureRequest } from '../access/client-address.ts';
import { innerEnvironment } from '../access/inner-caller.ts';

/** Options of {@link mountMcp}. */
export interface MountMcpOptions {
  readonly endpoint: McpEndpoint;
  readonly access: Access;
  /** True if people decide approvals on a page of this server. */
  readonly hasInbox: boolean;
}

/**
 * Serves the Model Context Protocol at `/mcp`. What its clients do are requests of the same caller to the HTTP API of this app, so that
 * they pass the same checks.
 */
export function mountMcp(app: Hono, { endpoint, access, hasInbox }: MountMcpOptions): void {
  const gateways = new WeakMap<Caller, McpGateway>();

  function gatewayOf(caller: Caller): McpGateway {
    const known = gateways.get(caller);
    if (known !== undefined) return known;
    const client = createClient({
      baseUrl: 'http://localhost',
      async fetch(request) {
        // Without a socket nothing else sets it.
        request.headers.set('host', 'localhost');
        return app.fetch(request, innerEnvironment(caller));
      },
    });
    const gateway = createApiGateway({ client });
    gateways.set(caller, gateway);
    return gateway;
  }

  app.all('/mcp', async (context) => {
    const caller = await callerOf(context, access);
    const { principal } = caller;
    const gateway = { ...gatewayOf(caller), ...(hasInbox ? { inboxUrl: inboxUrlOf(context) } : {}) };
    return endpoint.fetch(context.req.raw, { principal, gateway });
  });
}

// By token only. A page that a browser shows cannot use the sign-in of its user.
function callerOf(context: Context, access: Access): Promise<Caller> {
  const authorization = context.req.header('authorization');
  const headers = new Headers(authorization === undefined ? {} : { authorization });
  return access.authenticate(headers, addressOf(context), { isLimited: true });
}

// `sameOrigin` has checked the host.
function inboxUrlOf(context: Context): string {
  const host = context.req.header('host') ?? 'localhost';
  return `${isSecureRequest(context) ? 'https' : 'http'}://${host}/approvals`;
}
