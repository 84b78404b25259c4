import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** JSON-RPC message as a scripted server gets it. */
export interface ReceivedMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly name?: string };
  readonly result?: unknown;
}

/** Way to the client: over standard output, or as the response to one request. */
export interface Wire {
  readonly kind: 'stdio' | 'http';
  /** Sends a message. */
  send(message: object): void;
  /** Sends a result of the request. */
  result(to: ReceivedMessage, result: object): void;
  /** Sends text in place of a message, however wrong it is. */
  raw(text: string | Buffer): void;
  /** Ends the response to the request, over HTTP. */
  finish(): void;
  /** Ends the process, or breaks the connection. */
  die(): void;
}

/** Behaviour of a scripted server. Everything that a script leaves out is done as an honest server would. */
export interface ServerScript {
  readonly capabilities?: object;
  /** Entries of `tools/list`; asked for each time. Default: {@link honestTools}. */
  readonly tools?: () => readonly unknown[];
  /** Handlers by method; `any` sees every message before them. A handler that returns `false` leaves the message to the honest server. */
  readonly on?: Readonly<Record<string, (message: ReceivedMessage, wire: Wire) => boolean | void>>;
  /** Called once, before the first message. */
  readonly start?: (wire: Wire) => void;
  /** HTTP only: takes over a request. */
  readonly http?: (request: IncomingMessage, response: ServerResponse, message: ReceivedMessage | undefined) => boolean;
}

/** Tool `work` of the honest server: it returns its arguments as text. */
export const honestTools: readonly object[] = [
  {
    name: 'work',
    description: 'Does the work.',
    inputSchema: { type: 'object', properties: { value: { type: 'string' } } },
  },
];

/** Answers a message as the script says. */
function answer(script: ServerScript, message: ReceivedMessage, wire: Wire): void {
  const { on = {} } = script;
  if (on['any']?.(message, wire) === true) return;
  const { method } = message;
  if (method === undefined) return;
  const handler = on[method];
  if (handler !== undefined && handler(message, wire) !== false) return;
  switch (method) {
    case 'initialize':
      return wire.result(message, {
        protocolVersion: '2025-11-25',
        capabilities: script.capabilities ?? { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1.0.0' },
      });
    case 'tools/list':
      return wire.result(message, { tools: script.tools?.() ?? honestTools });
    case 'tools/call':
      return wire.result(message, {
        content: [{ type: 'text', text: JSON.stringify(message.params?.['arguments'] ?? {}) }],
      });
    case 'ping':
      return wire.result(message, {});
    default:
      if (message.id !== undefined) {
        wire.send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } });
      }
  }
}

function wireTo(kind: Wire['kind'], write: (text: string | Buffer) => void, die: () => void, finish: () => void): Wire {
  const send = (message: object): void => write(JSON.stringify(message));
  return {
    kind,
    send,
    result: ({ id }, result) => send({ jsonrpc: '2.0', id, result }),
    raw: write,
    finish,
    die,
  };
}

/** Runs a script over the standard streams of this process. A file that the variable `RAVI_CALLS` names gets a line for each call. */
export function serveStdio(script: ServerScript): void {
  const wire = wireTo(
    'stdio',
    (text) => void process.stdout.write(Buffer.concat([Buffer.from(text), Buffer.from('\n')])),
    () => process.exit(1),
    () => undefined,
  );
  script.start?.(wire);
  const calls = process.env['RAVI_CALLS'];
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line) as ReceivedMessage;
    if (calls !== undefined && message.method === 'tools/call') appendFileSync(calls, 'call\n');
    answer(script, message, wire);
  });
}

/** Script that runs over HTTP on the loopback interface. */
export interface HttpScript extends AsyncDisposable {
  readonly url: string;
  /** Methods of the requests so far, with those of HTTP for requests without a message. */
  readonly requests: readonly string[];
}

/** Runs a script over HTTP: each request is answered with an event stream. */
export async function serveHttp(script: ServerScript, port = 0): Promise<HttpScript> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void respond(script, request, response, requests);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(
  script: ServerScript,
  request: IncomingMessage,
  response: ServerResponse,
  requests: string[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const message = text === '' ? undefined : (JSON.parse(text) as ReceivedMessage);
  requests.push(message?.method ?? request.method ?? '');
  if (script.http?.(request, response, message) === true) return;
  if (message === undefined) return void response.writeHead(405).end();
  if (message.id === undefined || message.method === undefined) {
    answer(script, message, silent);
    return void response.writeHead(202).end();
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const wire = wireTo(
    'http',
    (part) => void response.write(Buffer.concat([Buffer.from('data: '), Buffer.from(part), Buffer.from('\n\n')])),
    () => response.destroy(),
    () => response.end(),
  );
  const { id } = message;
  answer(script, message, {
    ...wire,
    // The answer to the request ends the stream; everything else may come before it.
    send(sent) {
      wire.send(sent);
      if ((sent as ReceivedMessage).id === id && !('method' in sent)) response.end();
    },
    result: (to, result) => {
      wire.result(to, result);
      if (to.id === id) response.end();
    },
  });
}

const silent: Wire = wireTo(
  'http',
  () => undefined,
  () => undefined,
  () => undefined,
);
