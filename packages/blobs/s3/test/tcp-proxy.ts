import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** TCP proxy whose connections can be cut. */
export interface TcpProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** Closes all connections and accepts no new ones. */
  cut(): void;
  /** Accepts connections again at the same endpoint. */
  reconnect(): Promise<void>;
}

/**
 * Listens on a free loopback port and forwards all bytes to `endpoint`; without one it accepts connections and stays
 * silent.
 */
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
    reconnect: () => listen(port),
    async [Symbol.asyncDispose]() {
      cut();
    },
  };
}
