import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { KernelError } from '@ravi/kernel';

/** A response of the engine. */
export interface EngineAnswer {
  readonly status: number;
  /** The parsed JSON; `undefined` if the engine sent none. */
  readonly body: unknown;
}

/** A request that waits for an event and need not keep the host alive. */
export interface EngineWait<Answer> {
  readonly answer: Promise<Answer>;
  /** Sets whether the request keeps the event loop of the host alive. */
  keepAlive(active: boolean): void;
}

/** Client of the Docker Engine API over its unix socket. */
export interface EngineClient {
  readonly socketPath: string;
  /**
   * Sends a request.
   * @throws KernelError `E_SANDBOX_UNAVAILABLE` when no engine responds, or not in time
   */
  send(method: string, path: string, body?: object): Promise<EngineAnswer>;
  /** Sends a POST without a time limit. */
  wait(path: string): EngineWait<EngineAnswer>;
  close(): void;
}

const responseTimeoutMs = 60_000;
const maxAnswerBytes = 16 * 1_024 * 1_024;

/** Creates a client for the engine at `socketPath`. Paths contain no version, so that an engine uses its newest one. */
export function createEngineClient(socketPath: string): EngineClient {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 4 });

  return {
    socketPath,
    send(method, path, body) {
      const { promise, resolve, reject } = Promise.withResolvers<EngineAnswer>();
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = text === undefined ? {} : { 'content-type': 'application/json' };
      const request = httpRequest({ socketPath, agent, method, path, headers, timeout: responseTimeoutMs });
      request.once('timeout', () => request.destroy(new Error(`no response within ${responseTimeoutMs} ms`)));
      request.once('error', (cause) => reject(unreachable(cause)));
      request.once(
        'response',
        (response) => void readAnswer(response).then(resolve, (cause) => reject(unreachable(cause))),
      );
      request.end(text);
      return promise;
    },
    wait(path) {
      const { promise, resolve, reject } = Promise.withResolvers<EngineAnswer>();
      let socket: Socket | undefined;
      let alive = false;
      // Its own connection, because an unreferenced connection must not be shared.
      const request = httpRequest({ socketPath, agent: false, method: 'POST', path });
      request.once('socket', (assigned) => {
        socket = assigned;
        reference();
      });
      request.once('error', (cause) => reject(unreachable(cause)));
      request.once(
        'response',
        (response) => void readAnswer(response).then(resolve, (cause) => reject(unreachable(cause))),
      );
      request.end();
      return {
        answer: promise,
        keepAlive(active) {
          alive = active;
          reference();
        },
      };

      function reference(): void {
        if (alive) socket?.ref();
        else socket?.unref();
      }
    },
    close: () => agent.destroy(),
  };

  function unreachable(cause: Error): KernelError {
    return new KernelError(
      'E_SANDBOX_UNAVAILABLE',
      `No container engine responds at ${socketPath} (${cause.message}); start it, or set DOCKER_HOST`,
      { cause, retryable: true },
    );
  }
}

async function readAnswer(response: IncomingMessage): Promise<EngineAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
