import { randomBytes } from 'node:crypto';
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { McpHandlerRequestOptions, Server } from '@modelcontextprotocol/server';
import type { Clock, Principal } from '@ravi/kernel';
import { refusal } from './read-message.ts';

/** Sessions of clients of 2025-11-25 and before. Disposing them closes every stream. */
export interface Sessions extends AsyncDisposable {
  /** Handles a request of a principal, in its session or as the start of a new one. */
  fetch(request: Request, principal: Principal, how: McpHandlerRequestOptions): Promise<Response>;
  toolsChanged(): void;
}

/** Options of {@link createSessions}. */
export interface SessionsOptions {
  /** Creates the server of a session from its first request. */
  readonly create: (request: Request) => Server;
  readonly clock: Clock;
  /** Sessions of one principal. Above it, the one that was used least recently ends; its runs continue. */
  readonly maxSessions: number;
  readonly onerror?: (error: Error) => void;
}

interface Session {
  readonly id: string;
  readonly principal: Principal;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  usedAt: number;
}

const maxIdleMs = 86_400_000;
const header = 'mcp-session-id';

/** Creates sessions that are kept in memory. The session of another principal is like one that does not exist. */
export function createSessions({ create, clock, maxSessions, onerror }: SessionsOptions): Sessions {
  const sessions = new Map<string, Session>();

  function end(session: Session): void {
    sessions.delete(session.id);
    session.server.close().catch((error: unknown) => onerror?.(error as Error));
  }

  async function begin(principal: Principal, request: Request): Promise<Session> {
    const idleSince = clock.now() - maxIdleMs;
    for (const session of sessions.values()) if (session.usedAt < idleSince) end(session);
    const own = [...sessions.values()].filter((session) => session.principal === principal);
    const [oldest] = own.toSorted((left, right) => left.usedAt - right.usedAt);
    if (oldest !== undefined && own.length >= maxSessions) end(oldest);
    const id = randomBytes(24).toString('base64url');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => void sessions.delete(id),
    });
    const server = create(request);
    const session: Session = { id, principal, transport, server, usedAt: clock.now() };
    if (onerror !== undefined) server.onerror = onerror;
    await server.connect(transport);
    sessions.set(id, session);
    return session;
  }

  function find(id: string, principal: Principal): Session | undefined {
    const session = sessions.get(id);
    return session?.principal === principal ? session : undefined;
  }

  return {
    async fetch(request, principal, how) {
      const id = request.headers.get(header);
      const isFirst = id === null && isInitializeRequest(how.parsedBody);
      if (id === null && !isFirst) return refusal(400, -32_000, `The header ${header} is missing`);
      const session = id === null ? await begin(principal, request) : find(id, principal);
      if (session === undefined) return refusal(404, -32_001, 'There is no such session; initialize a new one');
      session.usedAt = clock.now();
      const response = await session.transport.handleRequest(request, how);
      if (isFirst && !response.ok) end(session);
      return response;
    },
    toolsChanged() {
      for (const { server } of sessions.values()) server.sendToolListChanged().catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(all.map(({ server }) => server.close()));
    },
  };
}
