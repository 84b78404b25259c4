import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Proxy between a client and a TCP server on loopback, which can fail as a network does. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks every connection, and refuses new ones until {@link TcpProxy.heal}. */
  cut(): void;
  /** Keeps every connection open but passes nothing, in either direction, until {@link TcpProxy.heal}. */
  blackHole(): void;
  /** Passes new connections again. Those that were in the black hole are broken, and what they sent is lost. */
  heal(): void;
}

/** Starts a proxy in front of the port of a server. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'black hole' = 'open';

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  function breakAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = createServer((client) => {
    keep(client);
    if (state === 'cut') return client.destroy();
    if (state === 'black hole') return client.pause();
    const upstream = keep(connect({ host: '127.0.0.1', port: targetPort }));
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      breakAll();
    },
    blackHole() {
      state = 'black hole';
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal() {
      if (state === 'black hole') breakAll();
      state = 'open';
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
