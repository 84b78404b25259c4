import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';

/** Responses by the code of Node's error, for connections that fail before there is a request. */
const refusals: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'E_REQUEST_TIMEOUT', 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'E_HEADERS_TOO_LARGE', 'The headers are too large'],
};
const notHttp = [
  '400 Bad Request',
  'E_REQUEST_INVALID',
  'Expected an HTTP/1.1 request with a valid host and path',
] as const;

const maxDiscardedBytes = 64 * 1024 * 1024;

/**
 * Closes connections whose client reads nothing of a response for `unreadTimeoutMs`, and answers malformed requests in the
 * format of every error: `{ error: { code, message } }`. After a response it reads and drops the rest of the body, up to 64 MiB and
 * in the time of a request: a client that still sends would not receive the response if its connection was closed.
 */
export function guardConnections(server: Server, { unreadTimeoutMs }: { readonly unreadTimeoutMs: number }): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request, response) => {
    const { socket } = request;
    responses.set(socket, response);
    response.once('close', () => discardRest(request));
    // Not the server's own timeout, because a script may run for long without a byte in either direction.
    response.setTimeout(unreadTimeoutMs, () => {
      if (socket.writableLength > 0) socket.destroy();
    });
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, connection) => {
    const socket = connection as Socket;
    const response = responses.get(socket);
    const isResponding = response?.headersSent === true && !(response.writableFinished && response.req.complete);
    if (!socket.writable || isResponding) return socket.destroy();
    socket.write(refusalOf(code));
    return socket.destroySoon();
  });
}

function discardRest(request: IncomingMessage): void {
  const isRead = request.readableEnded || (request.complete && request.readableLength === 0);
  if (isRead || request.destroyed) return;
  let bytes = 0;
  // The reader of the body so far has stopped, and would pause it.
  request.removeAllListeners('data');
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > maxDiscardedBytes) request.destroy();
  });
  request.resume();
}

/** Answers a request that Node accepts and the Fetch standard does not: its path or host is invalid. */
export function answerInvalidRequest(error: unknown): Response {
  if (!(error instanceof RequestError)) throw error;
  const [, code, message] = notHttp;
  return Response.json({ error: { code, message } }, { status: 400 });
}

function refusalOf(code: string): string {
  const [status, problemCode, message] = refusals[code] ?? notHttp;
  const body = JSON.stringify({ error: { code: problemCode, message } });
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}
