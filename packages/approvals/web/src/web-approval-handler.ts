import {
  createApprovalDesk,
  createApprovalEventStreams,
  createApprovalFeed,
  createStoredApprovals,
} from '@ravi/approval-kit';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { DecisionRules } from '@ravi/approval-kit';
import type { ApprovalHandler, ApprovalRequestOptions, BlobStore } from '@ravi/kernel';
import { createRateLimit } from '@ravi/support';
import { createSessions } from './http/access/sessions.ts';
import { readTokens } from './http/access/tokens.ts';
import { withDefaults } from './config-schema.ts';
import { createRoutes } from './http/routes.ts';
import type { WebApprovalOptions } from './options.ts';
import { loadPage } from './page.ts';

/** Information about a client that is not in its request. */
export interface ClientInfo {
  /** Address of the connection; clients without one share their limits. */
  readonly address?: string;
  /** Store of the artifacts that arguments refer to, so that an approver can open their content. */
  readonly artifacts?: Pick<BlobStore, 'stat' | 'open'>;
  /** Rules for decisions in this request, in addition to the options of the handler. */
  readonly rules?: DecisionRules;
}

/** An approval handler whose requests are decided over HTTP, in any process that shares its store. */
export interface WebApprovalHandler extends ApprovalHandler, AsyncDisposable {
  /** The approval API and its page. Mount it at `/approvals`, `/v1/approvals` and all paths below. Never rejects. */
  fetch(request: Request, client?: ClientInfo): Promise<Response>;
  /**
   * True: it keeps its requests in the state store itself. A server asks it directly; for other handlers the server
   * stores each request before it asks.
   */
  readonly storesRequests: boolean;
  /** Ends every event stream and opens no more, so that a server can close; other requests are still handled. */
  closeStreams(): void;
}

/**
 * Creates a handler that stores each request and waits until an approver decides it over HTTP.
 * @throws KernelError `E_CONFIG_INVALID` for tokens that are weak, duplicate or missing
 */
export function createWebApprovalHandler(options: WebApprovalOptions): WebApprovalHandler {
  const { store, clock = systemClock, logger = silentLogger, ...given } = options;
  const config = withDefaults(given);
  const tokens = readTokens(config.tokens);
  const feed = createApprovalFeed({ store, clock, logger, maxPollMs: config.maxPollMs });
  const services = { store, feed, clock, logger };
  const { maxStreams, maxStreamsPerToken: maxStreamsPerClient, heartbeatMs } = config;
  const streams = createApprovalEventStreams(services, { maxStreams, maxStreamsPerClient, heartbeatMs });
  const stored = createStoredApprovals({ ...services, fourEyes: config.fourEyes });
  // Of the requests that wait in this process. A server that knows the tools checks the others, with the rules of a request.
  const checks = new Map<string, NonNullable<ApprovalRequestOptions['checkArguments']>>();
  const checkEdit: NonNullable<DecisionRules['checkArguments']> = async ({ id }, args) =>
    checks.get(id)?.(args) ?? [{ pointer: '', message: 'No process that can check these arguments waits for them' }];
  const respond = createRoutes(loadPage(), {
    desk: createApprovalDesk(services, { fourEyes: config.fourEyes, checkArguments: checkEdit }),
    streams,
    logger,
    config,
    tokens,
    sessions: createSessions(tokens, { clock, ttlMs: config.sessionTtlMs }),
    requestLimit: createRateLimit(config.requestsPerMinute, clock),
    failureLimit: createRateLimit(config.failuresPerMinute, clock),
  });

  return {
    async request(request, options) {
      const { checkArguments } = options;
      if (checkArguments !== undefined) checks.set(request.id, checkArguments);
      try {
        return await stored.request(request, options);
      } finally {
        checks.delete(request.id);
      }
    },
    storesRequests: true,
    takesCompletions: true,
    fetch: (request, { address = '', rules = {}, artifacts } = {}) =>
      respond(request, { address, rules, ...(artifacts === undefined ? {} : { artifacts }) }),
    closeStreams: () => streams.close(),
    async [Symbol.asyncDispose]() {
      streams.close();
    },
  };
}

/** Returns true if a handler serves HTTP, so that a server should mount it. Recognises other copies of this package. */
export function isWebApprovalHandler(handler: ApprovalHandler | undefined): handler is WebApprovalHandler {
  const { fetch, closeStreams } = (handler ?? {}) as Partial<WebApprovalHandler>;
  return typeof fetch === 'function' && typeof closeStreams === 'function';
}
