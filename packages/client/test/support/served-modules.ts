import { readFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A page that can import this client, in front of a Ravi server. */
export interface ServedModules extends AsyncDisposable {
  readonly url: string;
}

const packages = join(import.meta.dirname, '../../..');
const imports = { '@ravi/client': '/client/src/index.ts', '@ravi/api': '/api/src/index.ts' };
const page = `<!doctype html><title>client</title><script type="importmap">${JSON.stringify({ imports })}</script>`;

/** Serves the sources of the client as JavaScript, and everything below `/v1` from the server. */
export async function serveModules(serverUrl: string): Promise<ServedModules> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith('/v1')) return void pass(serverUrl, request, response);
    if (path === '/') return void response.setHeader('content-type', 'text/html').end(page);
    respond(path, response).catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(path: string, response: ServerResponse): Promise<void> {
  const source = await readFile(join(packages, path), 'utf8');
  response.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(source));
}

// The page has the address of this server: its requests must not look like those of another site.
function pass(serverUrl: string, request: IncomingMessage, response: ServerResponse): void {
  const { origin: _origin, referer: _referer, host: _host, ...headers } = request.headers;
  const forwarded = forward(
    new URL(request.url ?? '/', serverUrl),
    { method: request.method ?? 'GET', headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  forwarded.on('error', () => response.destroy());
  request.pipe(forwarded);
}
