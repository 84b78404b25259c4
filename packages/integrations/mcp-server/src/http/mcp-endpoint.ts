import { createMcpHandler, isJsonContentType, isLegacyRequest } from '@modelcontextprotocol/server';
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Clock, Principal } from '@ravi/kernel';
import { createMcpServer } from '../create-mcp-server.ts';
import type { McpServerOptions } from '../create-mcp-server.ts';
import type { McpGateway } from '../gateway.ts';
import type { ServerMode } from '../offered-tools.ts';
import { readMessage, refusal } from './read-message.ts';
import { createSessions } from './sessions.ts';
import { createStreams } from './streams.ts';
import type { ServedResponse } from './streams.ts';

/** Sender of a request, as the server has recognised it. */
export interface McpCaller {
  readonly principal: Principal;
  /** Access of this caller. */
  readonly gateway: McpGateway;
}

/** Options of {@link createMcpEndpoint}. */
export interface McpEndpointOptions extends Pick<McpServerOptions, 'stateKey'> {
  readonly clock: Clock;
  /** Largest message of a client, in bytes. */
  readonly maxMessageBytes: number;
  /** Sessions of clients of 2025-11-25 and before that one principal may have; the one that was used least recently ends for a new one. */
  readonly maxSessions?: number;
  /** Requests and streams that one principal may have open. */
  readonly maxStreams?: number;
  readonly onError?: (error: Error) => void;
}

/** Serves the protocol over HTTP, in both generations, at one path. */
export interface McpEndpoint extends AsyncDisposable {
  /** Handles a request. The server has checked its origin, its host and its caller before. */
  fetch(request: Request, caller: McpCaller): Promise<Response>;
  /** Ends the streams on which clients wait for notifications, so that the server can close; calls in progress continue. */
  endStreams(): void;
  /** Tells every client that the list of tools has changed. */
  toolsChanged(): void;
}

const listenMethod = 'subscriptions/listen';

/**
 * Creates an endpoint. With the query `mode=tools` a client calls the tools one by one; otherwise it runs scripts. A client of 2026-07-28 has no session; those of clients before belong
 * to the principal that began them.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { stateKey, clock, maxMessageBytes, maxSessions = 100, maxStreams = 200, onError } = options;
  const callers = new WeakMap<AuthInfo, McpCaller>();
  const reporting = onError === undefined ? {} : { onerror: onError };

  // Of the request, not of the session: another token of the same principal may have other roles.
  function gatewayOf({ http }: ServerContext): McpGateway {
    const caller = http?.authInfo === undefined ? undefined : callers.get(http.authInfo);
    if (caller === undefined) throw new TypeError('A request has no caller');
    return caller.gateway;
  }

  const create = (era: McpServerOptions['era'], request?: Request): ReturnType<typeof createMcpServer> =>
    createMcpServer({ gatewayOf, stateKey, era, mode: modeOf(request) });
  const modern = createMcpHandler(({ requestInfo }) => create('modern', requestInfo), {
    legacy: 'reject',
    ...reporting,
  });
  const streams = createStreams(maxStreams);
  const sessions = createSessions({ create: (request) => create('legacy', request), clock, maxSessions, ...reporting });

  async function respond(request: Request, caller: McpCaller): Promise<ServedResponse> {
    const { method } = request;
    if (method === 'POST' && !isJsonContentType(request.headers.get('content-type'))) {
      return { response: refusal(415, -32_000, 'The content type must be application/json'), isStanding: false };
    }
    const message = method === 'POST' ? await readMessage(request, maxMessageBytes) : undefined;
    if (message instanceof Response) return { response: message, isStanding: false };
    const { principal } = caller;
    const authInfo: AuthInfo = { token: '', clientId: principal, scopes: [] };
    callers.set(authInfo, caller);
    const how = { authInfo, ...(message === undefined ? {} : { parsedBody: message }) };
    const isLegacy = await isLegacyRequest(request, message);
    const isStanding = method === 'GET' || (message as { readonly method?: unknown } | null)?.method === listenMethod;
    const response = await (isLegacy ? sessions.fetch(request, principal, how) : modern.fetch(request, how));
    return { response, isStanding };
  }

  return {
    // A caller that sends its message slowly takes one of its places too.
    fetch: (request, caller) => streams.serve(caller.principal, () => respond(request, caller)),
    endStreams: streams.endStanding,
    toolsChanged() {
      modern.notify.toolsChanged();
      sessions.toolsChanged();
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([modern.close(), sessions[Symbol.asyncDispose]()]);
    },
  };
}

function modeOf(request: Request | undefined): ServerMode {
  const query = new URL(request?.url ?? 'http://localhost').searchParams;
  return query.get('mode') === 'tools' ? 'tools' : 'code';
}
