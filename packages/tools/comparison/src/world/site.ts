import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

/** Loopback server that counts what it is asked for, also by connections that were meant for other addresses. */
export interface Site extends AsyncDisposable {
  readonly port: number;
  /** Paths of requests, with the host that they name. */
  readonly requests: string[];
  /** Programs by path, for example one that a command fetches and runs. */
  readonly programs: Map<string, string>;
}

const chunk = Buffer.alloc(1_048_576, 'x');
const bombBytes = 1_073_741_824;

/** Starts a {@link Site} on a free port. */
export async function startSite(): Promise<Site> {
  const requests: string[] = [];
  const programs = new Map<string, string>();
  const server = createServer((request, response) => {
    requests.push(`${request.headers.host ?? ''}${request.url ?? ''}`);
    answer(request, response, programs);
  });
  server.keepAliveTimeout = 1;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    programs,
    [Symbol.asyncDispose]: () => close(server),
  };
}

function answer({ url = '' }: IncomingMessage, response: ServerResponse, programs: ReadonlyMap<string, string>): void {
  const { pathname, searchParams } = new URL(url, 'http://site');
  const program = programs.get(pathname);
  if (program !== undefined) {
    response.end(program);
  } else if (pathname === '/redirect') {
    response.writeHead(302, { location: searchParams.get('to') ?? '/' }).end();
  } else if (pathname === '/endless') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    write(response, Number.POSITIVE_INFINITY);
  } else if (pathname === '/bomb') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    const gzip = createGzip({ level: 1 });
    gzip.on('error', () => response.destroy());
    response.on('close', () => gzip.destroy());
    gzip.pipe(response);
    write(gzip, bombBytes);
  } else {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('A page of the canary server');
  }
}

/** Writes bytes as fast as they are taken, until the reader is gone. */
function write(to: NodeJS.WritableStream & { readonly destroyed: boolean }, bytes: number): void {
  let left = bytes;
  const next = (): void => {
    while (left > 0 && !to.destroyed) {
      left -= chunk.length;
      if (!to.write(chunk)) return void to.once('drain', next);
    }
    if (!to.destroyed) to.end();
  };
  next();
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
