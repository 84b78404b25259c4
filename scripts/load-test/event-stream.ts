import { once } from 'node:events';
import { connect } from 'node:net';

/** An event as far as a load test looks at it. */
export interface SeenEvent {
  readonly id: number;
  readonly type: string;
  /** Time of the event, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A stream of events over its own connection. Leaving the loop over it closes the connection. */
export interface EventStream extends AsyncIterable<SeenEvent>, Disposable {
  /** Status of the response. */
  readonly status: Promise<number>;
  readonly isOpen: boolean;
}

/** Opens the events of a run after the one with the number `after`. Reading starts with the iteration. */
export async function openEventStream(url: string, path: string, after: number): Promise<EventStream> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  // HTTP/1.0, so that the answer is the stream itself, without chunks around it.
  // One process executes the runs, so every id starts with 1.
  const position = after === 0 ? '' : `last-event-id: 1.${after}\r\n`;
  socket.write(`GET ${path} HTTP/1.0\r\nhost: ${host}\r\n${position}\r\n`);
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let first: Promise<string> | undefined;

  async function next(): Promise<string> {
    const { done, value } = await chunks.next();
    return done === true ? '' : value.toString('latin1');
  }

  return {
    get status() {
      first ??= next();
      return first.then((text) => Number(text.slice(9, 12)));
    },
    get isOpen() {
      return !socket.destroyed;
    },
    async *[Symbol.asyncIterator]() {
      try {
        let text = '';
        for (let chunk = await (first ??= next()); chunk !== ''; chunk = await next()) {
          const frames = `${text}${chunk}`.split('\n\n');
          text = frames.pop() ?? '';
          for (const frame of frames) yield* eventIn(frame);
        }
      } finally {
        socket.destroy();
      }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The event of a frame; none in a sign of life. */
function* eventIn(frame: string): Generator<SeenEvent> {
  const [, id] = /^id: 1\.(\d+)$/m.exec(frame) ?? [];
  if (id === undefined) return;
  const [, type = ''] = /^event: (.+)$/m.exec(frame) ?? [];
  yield { id: Number(id), type, at: Number(/"at":(\d+)/.exec(frame)?.[1]) };
}
