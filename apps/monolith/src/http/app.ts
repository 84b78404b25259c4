import type { Toolbox, ToolInvoker } from '@ravi/agents';
import type { ApprovalMode, DurableChains } from '@ravi/capabilities';
import type { ApprovalHandler, Logger, StateStore } from '@ravi/kernel';
import { Hono } from 'hono';
import type { ChainRunner } from '../chain-runner.ts';
import { approvalRoutes } from './approvals.ts';
import { chainRoutes } from './chains.ts';
import { answerProblem, problem } from './problem.ts';
import { runRoutes } from './runs.ts';
import { sameOrigin } from './same-origin.ts';
import { toolRoutes } from './tools.ts';

/** What the HTTP interface is made of. */
export interface HttpAppOptions {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly runChain: ChainRunner;
  /** Runs scripts so that they outlive the process; without them a script ends with its request. */
  readonly durableChains?: DurableChains;
  /** Present with `durableChains`. */
  readonly stateStore?: StateStore;
  /** What a durable run does while it waits for a human. */
  readonly approvalMode: ApprovalMode;
  readonly approvalHandler: ApprovalHandler;
  /** Aborts when the process shuts down. */
  readonly lifetime: AbortSignal;
  readonly logger: Logger;
}

/** The HTTP interface: an adapter over the one invoker, with no way to a tool of its own. */
export function createHttpApp(options: HttpAppOptions): Hono {
  const { toolbox, lifetime, logger } = options;
  const app = new Hono();
  app.use(sameOrigin);
  app.use(async (_context, next) => {
    if (lifetime.aborted) throw problem('E_SHUTTING_DOWN', 'The server is shutting down');
    await next();
  });
  app.get('/health', (context) => context.json({ status: 'ok', tools: toolbox.size }));
  app.route('/v1/tools', toolRoutes(options));
  app.route('/v1/chains', chainRoutes(options));
  app.route('/v1/runs', runRoutes(options));
  app.route('/', approvalRoutes(options));
  app.notFound((context) =>
    answerProblem(context, problem('E_ROUTE_UNKNOWN', `There is no ${context.req.method} ${context.req.path}`), logger),
  );
  app.onError((error, context) => answerProblem(context, error, logger));
  return app;
}
