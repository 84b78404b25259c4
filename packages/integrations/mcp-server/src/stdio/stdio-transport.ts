import type { Readable, Writable } from 'node:stream';
import { parseJSONRPCMessage, ProtocolErrorCode, serializeMessage } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { parseMessage, tooLarge } from '../parse-message.ts';
import type { MessageProblem } from '../parse-message.ts';
import { createLineReader } from './line-reader.ts';

/** Options of {@link createStdioTransport}. */
export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Largest message of the client, in bytes. */
  readonly maxMessageBytes: number;
  /** Requests that the client may have in progress, the answers that it has not read included. */
  readonly maxRequests: number;
}

/** Above it nothing is read from a client that does not read. */
const maxUnreadBytes = 1_048_576;
const busy = -32_000;
const noMessage = { code: ProtocolErrorCode.InvalidRequest, message: 'This is not a message of the protocol' };

/**
 * Creates a transport over the streams of one client. Unlike the one of the SDK it checks a message before it parses it, answers what it
 * refuses and stays open, and bounds what a client that sends without reading can make it keep.
 */
export function createStdioTransport(options: StdioTransportOptions): Transport {
  const { input, output, maxMessageBytes, maxRequests } = options;
  const linesOf = createLineReader(maxMessageBytes);
  const inProgress = new Set<RequestId>();
  let isClosed = false;
  let drained: Promise<void> | undefined;

  const transport: Transport = { start, send, close };
  return transport;

  async function start(): Promise<void> {
    if (input.readableEnded || input.destroyed) setImmediate(end);
    input.on('data', read);
    input.on('error', report);
    input.on('end', end);
    input.on('close', end);
    output.on('error', end);
    output.on('close', end);
  }

  async function close(): Promise<void> {
    end();
  }

  function end(): void {
    if (isClosed) return;
    isClosed = true;
    input.off('data', read);
    input.pause();
    inProgress.clear();
    // The listeners for errors stay: a late one must not end the process.
    transport.onclose?.();
  }

  function report(error: Error): void {
    transport.onerror?.(error);
  }

  function read(chunk: Buffer): void {
    for (const line of linesOf(chunk)) {
      if (isClosed) return;
      if (line === 'too large') refuse(undefined, tooLarge(maxMessageBytes));
      else readLine(line);
    }
    if (output.writableLength <= maxUnreadBytes) return;
    input.pause();
    void untilDrained().then(() => {
      if (!isClosed) input.resume();
    });
  }

  function readLine(line: Uint8Array): void {
    const parsed = parseMessage(line);
    if ('problem' in parsed) return refuse(undefined, parsed.problem);
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(parsed.value);
    } catch {
      const { id, isAnswer } = placeOf(parsed.value);
      if (id === undefined || !isAnswer) return refuse(id, noMessage);
      // What was asked must not wait for another answer.
      message = { jsonrpc: '2.0', id, error: noMessage };
    }
    if ('method' in message) {
      if ('id' in message) {
        const problem = problemWithRequest(message.id);
        if (problem !== undefined) return refuse(message.id, problem);
        inProgress.add(message.id);
      } else if (message.method === 'notifications/cancelled') {
        // A request that was cancelled has no answer.
        inProgress.delete(message.params?.['requestId'] as RequestId);
      }
    }
    transport.onmessage?.(message);
  }

  function problemWithRequest(id: RequestId): MessageProblem | undefined {
    if (inProgress.has(id)) {
      return { code: ProtocolErrorCode.InvalidRequest, message: 'Another request with this id is in progress' };
    }
    const message = `The client has ${maxRequests} requests in progress, the most that it may have`;
    return inProgress.size < maxRequests ? undefined : { code: busy, message };
  }

  function refuse(id: RequestId | undefined, error: MessageProblem): void {
    if (!isClosed) output.write(`${JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error })}\n`);
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    if (isClosed) return;
    if (!output.write(serializeMessage(message))) await untilDrained();
    if (!('method' in message) && message.id !== undefined) inProgress.delete(message.id);
  }

  // Resolves when the client may get more, or is gone.
  function untilDrained(): Promise<void> {
    drained ??= new Promise((resolve) => {
      const done = (): void => {
        drained = undefined;
        for (const event of ['drain', 'error', 'close']) output.off(event, done);
        resolve();
      };
      for (const event of ['drain', 'error', 'close']) output.once(event, done);
    });
    return drained;
  }
}

/** Returns the id of a message that cannot be read, and whether it would have been an answer. */
function placeOf(value: unknown): { readonly id: RequestId | undefined; readonly isAnswer: boolean } {
  const { id, method } = (value ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  return { id: isId ? (id as RequestId) : undefined, isAnswer: method === undefined };
}
