import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHttp } from '@ravi/mcp-testing';
import type { HttpScript, ProtectedServer, ReceivedMessage } from '@ravi/mcp-testing';

/** Server over the older SSE: one event stream for all answers, and an address for messages. */
export interface SseServer extends AsyncDisposable {
  readonly url: string;
  /** Methods of all messages, with `stream` for each event stream that was opened. */
  readonly seen: readonly string[];
  /** Ends the open event streams. */
  endStreams(): void;
  /** Answers messages of all sessions so far with 404, and leaves their streams open. */
  forget(): void;
}

/** Result of a call, or `never` for one that stays without an answer. */
export type SseAnswer = (args: unknown) => string | 'never';

/**
 * Starts a server that knows the older SSE only. As the older protocol wants it, each stream is a session that has to be initialized
 * before anything else is answered.
 */
export async function serveSse(
  answer: SseAnswer = (args) => JSON.stringify(args),
  signIn?: Pick<ProtectedServer, 'issuer' | 'isValid'>,
): Promise<SseServer> {
  const seen: string[] = [];
  const forgotten = new Set<string>();
  const streams = new Map<string, { readonly response: ServerResponse; isInitialized: boolean }>();
  const server: HttpScript = await serveHttp({
    http(request, response, message) {
      if (signIn !== undefined && refuses(request, response, signIn)) return true;
      const session = new URL(request.url ?? '', 'http://localhost').searchParams.get('session');
      if (request.method === 'GET') {
        const id = String(streams.size + 1);
        seen.push('stream');
        streams.set(id, { response, isInitialized: false });
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
        return true;
      }
      const stream = session === null || forgotten.has(session) ? undefined : streams.get(session);
      if (stream === undefined || message === undefined) {
        response.writeHead(session === null ? 405 : 404).end();
        return true;
      }
      seen.push(message.method ?? 'answer');
      response.writeHead(202).end();
      const result = resultOf(message, answer);
      if (message.id === undefined || result === undefined) return true;
      stream.isInitialized ||= message.method === 'initialize';
      const body = stream.isInitialized ? { result } : { error: { code: -32_600, message: 'Not initialized' } };
      stream.response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n\n`);
      return true;
    },
  });
  return {
    url: server.url,
    seen,
    endStreams() {
      for (const { response } of streams.values()) response.end();
    },
    forget() {
      for (const id of streams.keys()) forgotten.add(id);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// Responds to a request without a valid token, and describes where tokens come from.
function refuses(
  request: IncomingMessage,
  response: ServerResponse,
  { issuer, isValid }: Pick<ProtectedServer, 'issuer' | 'isValid'>,
): boolean {
  const origin = `http://${request.headers.host}`;
  if (request.url === '/.well-known/oauth-protected-resource') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [issuer] }));
    return true;
  }
  if (isValid(request.headers.authorization)) return false;
  const metadata = `${origin}/.well-known/oauth-protected-resource`;
  response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
  return true;
}

function resultOf({ method, params }: ReceivedMessage, answer: SseAnswer): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'older', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: [{ name: 'work', description: 'Does the work.', inputSchema: { type: 'object' } }] };
    case 'tools/call': {
      const text = answer(params?.['arguments']);
      return text === 'never' ? undefined : { content: [{ type: 'text', text }] };
    }
    default:
      return {};
  }
}
