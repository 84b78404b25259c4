import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KernelError } from '@ravi/kernel';

/** Server that listens while its state store is not available yet. Disposing it frees its port. */
export interface WaitingServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:7341` */
  readonly url: string;
}

const retryAfterSeconds = '5';
const reason = 'The state store is not available yet. The server waits for it; the log has the cause';

const bodies: Readonly<Record<string, readonly [status: number, body: object]>> = {
  '/health': [200, { status: 'ok', tools: 0 }],
  '/ready': [
    503,
    { status: 'unavailable', adapters: { stateStore: { status: 'unavailable', durationMs: 0 } }, reason },
  ],
};
const other: readonly [status: number, body: object] = [
  503,
  { error: { code: 'E_STATE_UNAVAILABLE', message: reason } },
];

/**
 * Listens and answers `/health` with 200, and `/ready` and everything else with 503, so that probes and clients see why the
 * server is not ready.
 * @throws KernelError `E_CONFIG_INVALID` if the address is in use
 */
export async function startWaitingServer(host: string, port: number): Promise<WaitingServer> {
  const server = createServer(({ url = '/' }, response) => {
    const [status, body] = bodies[url.split('?', 1)[0] ?? ''] ?? other;
    const retry = status === 503 ? { 'retry-after': retryAfterSeconds } : {};
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...retry });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = cause.code === 'EADDRINUSE' ? 'the port is in use; choose another with --port' : cause.message;
      reject(new KernelError('E_CONFIG_INVALID', `Cannot listen on ${host}:${port}: ${message}`, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `http://${name}:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
