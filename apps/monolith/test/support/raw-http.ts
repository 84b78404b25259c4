import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A raw response. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request that is sent unchanged: only headers of the connection are added, and the path is not normalised. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** True to read only the first chunk of an event stream, which may have no end. */
  readonly isEndless?: boolean;
}

/** Sends requests over kept connections; `destroy` closes them. */
export function rawClient(url: string): { send(request: RawRequest): Promise<RawAnswer>; destroy(): void } {
  const agent = new Agent({ keepAlive: true });
  async function send({ method, path, headers = {}, body, isEndless = false }: RawRequest): Promise<RawAnswer> {
    const sent = request(url, { method, path, headers, agent });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    sent.on('response', resolve).on('error', reject).end(body);
    try {
      const response = await promise;
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      const content = isEndless && isStream ? await firstChunk(response) : await text(response);
      return { status: response.statusCode ?? 0, headers: response.headers, text: content };
    } catch (error) {
      // The server closed a kept connection at the moment of its reuse.
      if (sent.reusedSocket) return send({ method, path, headers, isEndless, ...(body === undefined ? {} : { body }) });
      throw error;
    }
  }
  return { send, destroy: () => agent.destroy() };
}

async function firstChunk(response: IncomingMessage): Promise<string> {
  for await (const chunk of response) return String(chunk);
  return '';
}

/** Opens a connection and sends raw bytes. */
export function openSocket(url: string, bytes: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A server that closes early resets the connection; the tests check its response.
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  return socket;
}

/** Reads everything until the server closes the connection. */
export async function untilClosed(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** Asserts that an error has a 4xx status, the error format, and no internals. */
export function assertRefused({ status, text: content }: RawAnswer, place: string, hostPaths: readonly string[]): void {
  const about = `${place}: ${status} ${content.slice(0, 500)}`;
  assert.ok(status >= 400 && status < 500, about);
  const body = JSON.parse(content);
  assert.deepEqual(Object.keys(body), ['error'], about);
  assert.deepEqual(Object.keys(body.error), ['code', 'message'], about);
  assert.match(body.error.code, /^E_[A-Z_]+$/, about);
  assert.equal(typeof body.error.message, 'string', about);
  assertTellsNothing(content, about, hostPaths);
}

/** Asserts that a response names neither a folder of the host nor a line of its code. */
export function assertTellsNothing(content: string, about: string, hostPaths: readonly string[]): void {
  for (const path of [...hostPaths, 'node_modules']) assert.ok(!content.includes(path), about);
  assert.doesNotMatch(content, /\bat \S+ \(?\/?\S+:\d+:\d+/, about);
}
