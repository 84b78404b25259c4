import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@hono/node-server';

/** Why Node gives a connection up before there is a request, and what the client is told. */
const refusals: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'E_REQUEST_TIMEOUT', 'The request took too long to arrive'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'E_HEADERS_TOO_LARGE', 'The headers are too large'],
};
const notHttp = [
  '400 Bad Request',
  'E_REQUEST_INVALID',
  'This is not a request of HTTP/1.1, or not one with a host and an address',
] as const;

/**
 * Ends connections whose client takes nothing of an answer for `unreadTimeoutMs`, and answers what is no request like
 * everything else: `{ error: { code, message } }`.
 */
export function guardConnections(server: Server, { unreadTimeoutMs }: { readonly unreadTimeoutMs: number }): void {
  const answers = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => {
    answers.set(socket, response);
    // Not the server's own timeout: a script may work for long, and its client wait, without a byte either way.
    response.setTimeout(unreadTimeoutMs, () => {
      if (socket.writableLength > 0) socket.destroy();
    });
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, connection) => {
    const socket = connection as Socket;
    const answer = answers.get(socket);
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    if (!socket.writable || isAnswering) return socket.destroy();
    socket.write(refusalOf(code));
    return socket.destroySoon();
  });
}

/** Answers what Node takes for a request and the Fetch standard does not: an address or a host that is none. */
export function answerNoRequest(error: unknown): Response {
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
