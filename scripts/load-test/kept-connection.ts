import { once } from 'node:events';
import { connect } from 'node:net';

/** An answer, as far as a load test looks at it. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A connection that takes one request after the other. */
export interface KeptConnection extends Disposable {
  /** @throws Error when the connection ends before the answer does */
  get(path: string): Promise<Reply>;
}

const headersEnd = '\r\n\r\n';

/** Opens a connection without the cost of a whole HTTP client, which would need more of the machine than the server. */
export async function openConnection(url: string): Promise<KeptConnection> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  let received = '';
  let waiting: PromiseWithResolvers<Reply> | undefined;

  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    const end = received.indexOf(headersEnd);
    if (end === -1) return;
    const head = received.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    const start = end + headersEnd.length;
    if (received.length < start + length) return;
    const reply = { status: Number(head.slice(9, 12)), body: received.slice(start, start + length) };
    received = received.slice(start + length);
    waiting?.resolve(reply);
  });
  const fail = (): void => waiting?.reject(new Error('the connection ended'));
  socket.on('error', fail).on('close', fail);

  return {
    get(path) {
      waiting = Promise.withResolvers<Reply>();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      return waiting.promise;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
