import type { DecisionRules } from '@ravi/approval-kit';
import { isWebApprovalHandler } from '@ravi/approval-web';
import type { ResolvedConfig } from '@ravi/host';
import type { ApprovalHandler, Clock, Logger } from '@ravi/kernel';
import { Hono } from 'hono';
import type { ClientInfo, WebApprovalHandler } from '@ravi/approval-web';
import type { Access } from './access/access.ts';
import { addressOf, readClient } from './access/client-address.ts';
import type { TelemetryProviders } from '../observability/open-exporters.ts';
import { traceRequests } from './core/trace-requests.ts';
import { mount } from './core/mount.ts';
import type { Endpoint } from './core/implement.ts';
import type { ArtifactDamage } from './blobs/artifact-damage.ts';
import { answerProblem, problem } from './core/problem.ts';
import { requestLog } from './core/request-log.ts';
import { headWithoutBody, safeHeaders } from './core/safe-headers.ts';
import { sameOrigin } from './core/same-origin.ts';
import type { DurableServices } from '../runs/durable-services.ts';
import type { EventSources } from './events/event-stream.ts';
import { mountRelay } from './events/relay-route.ts';
import type { RelayTickets } from './events/relay-ticket.ts';
import type { McpEndpoint } from '@ravi/mcp-server';
import type { CallerApprovals } from './approvals/approval-operations.ts';
import { mountMcp } from './mcp/mount-mcp.ts';
import { mountConsole } from './server/console.ts';
import type { OpenConsole } from './server/console.ts';

/** Options of {@link createHttpApp}. */
export interface HttpAppOptions {
  readonly endpoints: readonly Endpoint[];
  readonly access: Access;
  readonly config: Pick<ResolvedConfig, 'server'>;
  readonly approvalHandler: ApprovalHandler | undefined;
  readonly artifactDamage: ArtifactDamage;
  /** Rules for decisions over HTTP. */
  readonly decisionRules: DecisionRules;
  readonly openConsole: OpenConsole;
  /** Present if people decide approvals on a page of this server. */
  readonly callerApprovals: CallerApprovals | undefined;
  readonly mcpEndpoint: McpEndpoint;
  readonly durable: DurableServices | undefined;
  readonly eventSources: EventSources | undefined;
  readonly relayTickets: RelayTickets;
  /** Present if requests are traced and measured. */
  readonly telemetryProviders: TelemetryProviders | undefined;
  readonly lifetime: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the HTTP interface: middleware, operations, approvals, console. It reaches tools only through operations. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const { endpoints, access, approvalHandler, decisionRules, artifactDamage, telemetryProviders } = options;
  const { lifetime, clock, logger } = options;
  const { allowedHosts, maxConcurrent, trustedProxies } = options.config.server;
  const app = new Hono();
  app.use(headWithoutBody, safeHeaders);
  if (telemetryProviders !== undefined) app.use(traceRequests(telemetryProviders));
  app.use(requestLog({ clock, logger }));
  const { durable, eventSources: sources, relayTickets: tickets } = options;
  if (durable !== undefined && sources !== undefined)
    mountRelay(app, { processId: durable.process.id, tickets, sources, lifetime });
  app.use(sameOrigin(allowedHosts));
  app.use(async (_context, next) => {
    if (lifetime.aborted) throw problem('E_SHUTTING_DOWN', 'The server is shutting down');
    await next();
  });
  app.use(readClient(trustedProxies));
  mount(app, endpoints, { access, maxConcurrent });
  if (isWebApprovalHandler(approvalHandler))
    mountApprovalWeb(app, approvalHandler, { rules: decisionRules, artifacts: artifactDamage.store });
  mountMcp(app, { endpoint: options.mcpEndpoint, access, hasInbox: hasInbox(options) });
  mountConsole(app, options.openConsole);
  app.notFound((context) =>
    answerProblem(context, problem('E_ROUTE_UNKNOWN', `There is no ${context.req.method} ${context.req.path}`), logger),
  );
  app.onError((error, context) => answerProblem(context, error, logger));
  return app;
}

function hasInbox({ approvalHandler, callerApprovals }: HttpAppOptions): boolean {
  return isWebApprovalHandler(approvalHandler) || callerApprovals !== undefined;
}

/**
 * Serves the pages of an approval handler that the configuration names. It has its own tokens, sign-in and limits, and
 * takes the place of the operations on approvals and of the console.
 */
function mountApprovalWeb(app: Hono, handler: WebApprovalHandler, info: ClientInfo): void {
  app.on(['GET', 'POST', 'DELETE'], ['/approvals', '/approvals/', '/v1/approvals/*'], (context) => {
    const address = addressOf(context);
    return handler.fetch(context.req.raw, { ...info, ...(address === '' ? {} : { address }) });
  });
}
