import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way to a server that can be cut. */
export interface TcpProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** Ends every connection and takes no further one. */
  cut(): void;
  /** Takes connections again, at the same endpoint. */
  mend(): Promise<void>;
}

/** Listens on a free port of loopback and passes all bytes on to `endpoint`, or nothing to nobody when absent. */
export async function openTcpProxy(endpoint?: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const pair = [socket];
    if (endpoint !== undefined) {
      const { hostname, port: target } = new URL(endpoint);
      const upstream = connect(Number(target), hostname);
      socket.pipe(upstream).pipe(socket);
      pair.push(upstream);
    }
    for (const end of pair) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        for (const other of pair) other.destroy();
      });
    }
  });
  const listen = (at: number): Promise<void> => new Promise((resolve) => server.listen(at, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    cut,
    mend: () => listen(port),
    async [Symbol.asyncDispose]() {
      cut();
    },
  };
}
