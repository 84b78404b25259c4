import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KernelError } from '@ravi/kernel';
import type { KernelErrorCode } from '@ravi/kernel';

/** Server that listens while a part that it needs is not available yet. Disposing it frees its port. */
export interface WaitingServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:7341` */
  readonly url: string;
}

/** Part of a server that is not available yet. */
export interface MissingPart {
  /** Its port, as `/ready` lists it. */
  readonly adapter: string;
  /** Its name in sentences. */
  readonly label: string;
  /** Code of the error with which requests are refused. */
  readonly code: KernelErrorCode;
}

const retryAfterSeconds = '5';

function bodyOf(path: string, { adapter, label, code }: MissingPart): readonly [status: number, body: object] {
  const reason = `The ${label} is not available yet. The server waits for it; the log has the cause`;
  if (path === '/health') return [200, { status: 'ok', tools: 0 }];
  if (path !== '/ready') return [503, { error: { code, message: reason } }];
  return [503, { status: 'unavailable', adapters: { [adapter]: { status: 'unavailable', durationMs: 0 } }, reason }];
}

/**
 * Listens and answers `/health` with 200, and `/ready` and everything else with 503, so that probes and clients see why the
 * server is not ready.
 * @throws KernelError `E_CONFIG_INVALID` if the address is in use
 */
export async function startWaitingServer(
  host: string,
  port: number,
  missing: () => MissingPart,
): Promise<WaitingServer> {
  const server = createServer(({ url = '/' }, response) => {
    const [status, body] = bodyOf(url.split('?', 1)[0] ?? '', missing());
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
