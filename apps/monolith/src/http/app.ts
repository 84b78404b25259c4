import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { ApprovalMode, DurableChains, Preflight } from '@ravi/capabilities';
import type { ResolvedConfig } from '@ravi/host';
import type {
  ApprovalHandler,
  BlobStore,
  Clock,
  Logger,
  ModelProvider,
  Sandbox,
  Skill,
  SnippetStore,
  StateStore,
} from '@ravi/kernel';
import { Hono } from 'hono';
import type { MiddlewareHandler } from 'hono';
import type { Access } from '../access/access.ts';
import type { CallerApprovals } from '../access/caller-approvals.ts';
import type { ChainRunner } from '../runs/chain-runner.ts';
import type { RunRecorder } from '../runs/run-recorder.ts';
import type { RunService } from '../runs/run-service.ts';
import type { StoredEvents } from '../runs/stored-events.ts';
import type { SnippetTools } from '../tools/snippet-tools.ts';
import type { Redactor } from '../logging/redactor.ts';
import { traceRequests } from '../observability/trace-requests.ts';
import type { TelemetryProviders } from '../observability/telemetry-providers.ts';
import type { ToolMetrics } from '../tools/tool-metrics.ts';
import { approvalRoutes } from './approvals/approvals.ts';
import { artifactOperations } from './blobs/artifacts.ts';
import { chainCheckOperation } from './scripts/chain-check.ts';
import { budgetOperations } from './agents/budgets.ts';
import { chainOperations } from './scripts/chains.ts';
import { mountConsole } from './server/console.ts';
import { headWithoutBody, safeHeaders } from './core/safe-headers.ts';
import { jobOperations } from './runs/jobs.ts';
import { metricsOperations } from './server/metrics.ts';
import { mount } from './core/mount.ts';
import type { Operation } from './core/operation.ts';
import { withOpenApi } from './core/openapi.ts';
import { answerProblem, problem } from './core/problem.ts';
import { requestLog } from './core/request-log.ts';
import { responseOperations } from './agents/responses.ts';
import { runOperations } from './runs/runs.ts';
import { sameOrigin } from './core/same-origin.ts';
import { sessionOperation } from './server/sign-in.ts';
import { sessionOperations } from './agents/conversations.ts';
import { settingsOperations } from './server/settings.ts';
import { skillOperations } from './agents/skills.ts';
import { snippetOperations } from './scripts/snippets.ts';
import { toolOperations } from './tools/tools.ts';

/** What there is where something is kept. */
export interface StatefulParts {
  readonly store: StateStore;
  /** Runs scripts so that they outlive the process; without them a script ends with its request. */
  readonly chains: DurableChains;
  readonly runs: RunService;
  readonly recorder: RunRecorder;
  readonly storedEvents: StoredEvents;
}

/** What the HTTP interface is made of. */
export interface HttpAppOptions {
  readonly config: ResolvedConfig;
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly runChain: ChainRunner;
  readonly blobStore: BlobStore;
  readonly sandbox: Sandbox;
  readonly preflight: Preflight | false;
  readonly model: ModelProvider;
  readonly toolMetrics: ToolMetrics;
  readonly skills: readonly Skill[];
  readonly snippetStore: SnippetStore;
  readonly snippetTools: SnippetTools;
  /** Absent without a state store; the resources that need one are then absent too. */
  readonly stateful?: StatefulParts;
  /** What a durable run does while it waits for a human. */
  readonly approvalMode: ApprovalMode;
  readonly approvalHandler: ApprovalHandler;
  readonly access: Access;
  readonly redactor: Redactor;
  /** Present when requests are traced and measured. */
  readonly telemetryProviders?: TelemetryProviders;
  /** Present when the server itself knows who answers approvals. */
  readonly callerApprovals?: CallerApprovals;
  /** Aborts when the process shuts down. */
  readonly lifetime: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

const usualConcurrent = 512;

/** The HTTP interface: an adapter over the one invoker, with no way to a tool of its own. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const { lifetime, logger, access } = options;
  const { server } = options.config;
  const app = new Hono();
  app.use(
    headWithoutBody,
    safeHeaders,
    ...tracing(options),
    requestLog(options),
    sameOrigin(server.allowedHosts ?? []),
  );
  app.use(async (_context, next) => {
    if (lifetime.aborted) throw problem('E_SHUTTING_DOWN', 'The server is shutting down');
    await next();
  });
  const { maxConcurrent = usualConcurrent } = server;
  mount(app, withOpenApi(operationsOf(options)), { access, maxConcurrent });
  app.route('/', approvalRoutes(options));
  // Its pages need what is kept, and approvals by the same sign-in.
  if (options.callerApprovals !== undefined) mountConsole(app, logger);
  app.notFound((context) =>
    answerProblem(context, problem('E_ROUTE_UNKNOWN', `There is no ${context.req.method} ${context.req.path}`), logger),
  );
  app.onError((error, context) => answerProblem(context, error, logger));
  return app;
}

function tracing({ telemetryProviders }: HttpAppOptions): readonly MiddlewareHandler[] {
  return telemetryProviders === undefined ? [] : [traceRequests(telemetryProviders)];
}

function operationsOf(options: HttpAppOptions): readonly Operation[] {
  const { stateful } = options;
  const always = [
    ...settingsOperations(options),
    ...metricsOperations(options),
    ...sessionOperation(options),
    ...toolOperations(options),
    ...skillOperations(options),
    ...chainOperations(options),
    chainCheckOperation(options),
  ];
  if (stateful === undefined) return always;
  return [
    ...always,
    ...runOperations({ ...options, stateful }),
    ...responseOperations({ ...options, stateful }),
    ...artifactOperations({ ...options, stateful }),
    ...jobOperations(stateful),
    ...sessionOperations(stateful),
    ...snippetOperations({ ...options, stateful }),
    ...budgetOperations({ ...options, stateful }),
  ];
}
