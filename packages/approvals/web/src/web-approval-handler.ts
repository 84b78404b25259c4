import {
  createApprovalDesk,
  createApprovalEventStreams,
  createApprovalFeed,
  createStoredApprovals,
} from '@ravi/approval-kit';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { ApprovalHandler } from '@ravi/kernel';
import { createRateLimit } from '@ravi/support';
import { createSessions } from './access/sessions.ts';
import { readTokens } from './access/tokens.ts';
import { withDefaults } from './config-schema.ts';
import { createRoutes } from './http/routes.ts';
import type { WebApprovalOptions } from './options.ts';
import { loadPage } from './page.ts';

/** What a server knows of a client beyond its request. */
export interface ClientInfo {
  /** Where the connection comes from; clients without one count as one. */
  readonly address?: string;
}

/** An approval handler whose questions are answered over HTTP, in whichever process shares its store. */
export interface WebApprovalHandler extends ApprovalHandler, AsyncDisposable {
  /** The approval API and its page. Mount it for `/approvals`, `/v1/approvals` and everything below that. Never rejects. */
  fetch(request: Request, client?: ClientInfo): Promise<Response>;
  /** Ends every stream of events and opens no more, so that a server can close; requests go on being answered. */
  closeStreams(): void;
}

/**
 * Keeps each request in the store before anybody is asked, and waits until its record is answered.
 * @throws KernelError `E_CONFIG_INVALID` for tokens that are weak, given twice or missing
 */
export function createWebApprovalHandler(options: WebApprovalOptions): WebApprovalHandler {
  const { store, clock = systemClock, logger = silentLogger, ...given } = options;
  const config = withDefaults(given);
  const tokens = readTokens(config.tokens);
  const feed = createApprovalFeed({ store, clock, logger, maxPollMs: config.maxPollMs });
  const services = { store, feed, clock, logger };
  const { maxStreams, maxStreamsPerToken: maxStreamsPerClient, heartbeatMs } = config;
  const streams = createApprovalEventStreams(services, { maxStreams, maxStreamsPerClient, heartbeatMs });
  const respond = createRoutes(loadPage(), {
    desk: createApprovalDesk(services),
    streams,
    logger,
    config,
    tokens,
    sessions: createSessions(tokens, { clock, ttlMs: config.sessionTtlMs }),
    requestLimit: createRateLimit(config.requestsPerMinute, clock),
    failureLimit: createRateLimit(config.failuresPerMinute, clock),
  });

  return {
    request: createStoredApprovals(services).request,
    fetch: (request, { address = '' } = {}) => respond(request, address),
    closeStreams: () => streams.close(),
    async [Symbol.asyncDispose]() {
      streams.close();
    },
  };
}

/** Whether a handler answers over HTTP, so that a server should mount it; also when it comes from another copy of this package. */
export function isWebApprovalHandler(handler: ApprovalHandler | undefined): handler is WebApprovalHandler {
  const { fetch, closeStreams } = (handler ?? {}) as Partial<WebApprovalHandler>;
  return typeof fetch === 'function' && typeof closeStreams === 'function';
}
