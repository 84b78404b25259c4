import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a loopback server got it. */
export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed when it is JSON. */
  readonly body: unknown;
}

/** Response of a loopback server. */
export interface LoopbackAnswer {
  /** 200 when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text goes out as it is, the texts of a list or of an async iterable piece by piece, anything else as JSON. */
  readonly body: unknown;
  /** Breaks the connection after the body instead of ending the response. */
  readonly breaks?: boolean;
  /** Leaves the connection open after the body until the client closes it. */
  readonly hangs?: boolean;
}

/** A real HTTP server on the loopback interface. */
export interface LoopbackServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Received requests, oldest first. */
  readonly requests: readonly LoopbackRequest[];
  /** Number of connections that the client closed before their response had ended. */
  readonly abandoned: number;
}

/** Starts a server that asks `answer` about each request; dispose it. */
export async function startLoopbackServer(
  answer: (request: LoopbackRequest) => LoopbackAnswer,
): Promise<LoopbackServer> {
  const requests: LoopbackRequest[] = [];
  let abandoned = 0;
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: parsed(Buffer.concat(chunks).toString('utf8')) };
    requests.push(request);
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) abandoned++;
    });
    await send(answer(request), outgoing);
  };
  const server = createServer((incoming, outgoing) => {
    // What goes wrong here shows on the other side as a broken connection.
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get abandoned() {
      return abandoned;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(
  { status = 200, headers = {}, body, breaks = false, hangs = false }: LoopbackAnswer,
  outgoing: ServerResponse,
): Promise<void> {
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  const isText = isStream || typeof body === 'string' || Array.isArray(body);
  outgoing.writeHead(status, { 'content-type': isText ? 'text/event-stream' : 'application/json', ...headers });
  const isList = isStream || Array.isArray(body);
  const pieces = isList ? (body as AsyncIterable<string> | readonly string[]) : [isText ? body : JSON.stringify(body)];
  for await (const piece of pieces) await new Promise((resolve) => outgoing.write(piece, resolve));
  if (breaks) outgoing.destroy();
  else if (!hangs) outgoing.end();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
