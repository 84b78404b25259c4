import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KernelError } from '@ravi/kernel';
import type { NodeHealth } from '@ravi/sandbox-remote';

/** Server of health reports for probes. */
export interface HealthServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/**
 * Serves `GET /health` over HTTP, for probes that have no certificate: status 200 while the node accepts runs, and 503 while it shuts
 * down. It reports figures only.
 * @throws KernelError `E_CONFIG_INVALID` if it cannot listen
 */
export async function startHealthServer(
  address: { readonly host: string; readonly port: number },
  health: () => NodeHealth,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    if (request.url !== '/health' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    const { status, sandbox, runs, maxRuns, connections, bufferedBytes } = health();
    response.writeHead(status === 'ok' ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status, sandbox, runs, maxRuns, connections, bufferedBytes }));
  });
  server.maxConnections = 16;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(address, resolve);
  try {
    await promise;
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    const message = `health: the node cannot listen on ${address.host}, port ${address.port} (${reason})`;
    throw new KernelError('E_CONFIG_INVALID', message, { cause });
  }
  const { address: host, port } = server.address() as AddressInfo;
  return {
    host,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
