import { AsyncLocalStorage } from 'node:async_hooks';
import { SSEClientTransport, SseError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type {
  AuthProvider,
  FetchLike,
  JSONRPCMessage,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { Clock } from '@ravi/kernel';
import type { HttpServerOptions } from '../options.ts';
import { isEventStream, withCheckedBody } from './checked-body.ts';
import { isAnswer, isRequest, withCarriedParts } from './message-kind.ts';
import { tooManyRequests } from './wire-limits.ts';
import type { Violation, WireLimits } from './wire-limits.ts';

type HttpSendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

const goodbyeMs = 1_000;
/** Shortest and longest wait before a stream is opened again. The server may ask for any. */
const shortestReopenMs = 100;
const longestReopenMs = 30_000;
/** Code of the error that stands for an answer that never came. */
const noAnswer = -32_000;

/** Parts of a transport over HTTP. */
export interface HttpParts {
  /** Reaches only the host of the server. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly wire: WireLimits;
  readonly onViolation: Violation;
  /** Credentials of the caller, for a server at which callers sign in. */
  readonly auth?: AuthProvider | undefined;
}

/**
 * Transport over streamable HTTP, or the older SSE. Each response is checked before it is parsed. A request whose response ends without
 * an answer fails at once; the transport of the SDK would leave it waiting. The end of the event stream of the older SSE ends the transport.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly hasPerRequestStream: boolean;
  readonly #parts: HttpParts;
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #waiting = new Set<RequestId>();
  /** Streams that were opened again since the last message. */
  #reopened = 0;
  readonly #exchange = new AsyncLocalStorage<{ isStream: boolean }>();

  constructor(options: HttpServerOptions, kind: 'http' | 'sse', parts: HttpParts) {
    const { fetch: reach, wire, onViolation, auth } = parts;
    this.#parts = parts;
    const { secrets } = wire;
    const url = new URL(options.url);
    for (const [name, value] of [...Object.entries(options.headers ?? {}), ...url.searchParams])
      secrets.add(name, value);
    const checked: FetchLike = async (to, init) => {
      if (auth !== undefined) secrets.add('authorization', new Headers(init?.headers).get('authorization') ?? '');
      const response = await reach(to, init);
      const exchange = this.#exchange.getStore();
      if (exchange !== undefined) exchange.isStream = isEventStream(response);
      return withCheckedBody(response, wire, onViolation);
    };
    const common = {
      fetch: checked,
      requestInit: { headers: { ...options.headers } },
      ...(auth === undefined ? {} : { authProvider: auth }),
    };
    this.hasPerRequestStream = kind === 'http';
    this.#inner =
      kind === 'http'
        ? new StreamableHTTPClientTransport(url, {
            ...common,
            onInsufficientScope: 'throw',
            reconnectionOptions: {
              initialReconnectionDelay: 1_000,
              maxReconnectionDelay: 30_000,
              reconnectionDelayGrowFactor: 2,
              maxRetries: 5,
            },
            reconnectionScheduler: (reopen, wantedMs) => this.#reopenLater(reopen, wantedMs),
          })
        : new SSEClientTransport(url, common);
  }

  get sessionId(): string | undefined {
    return this.#inner instanceof StreamableHTTPClientTransport ? this.#inner.sessionId : undefined;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    const inner = this.#inner;
    let isStarted = false;
    const { wire, onViolation } = this.#parts;
    inner.onmessage = (message) => {
      this.#reopened = 0;
      if (isAnswer(message)) this.#waiting.delete(message.id as RequestId);
      if (isRequest(message) && !wire.requestRate.count()) return onViolation(tooManyRequests(wire));
      this.onmessage?.(withCarriedParts(message));
    };
    inner.onerror = (error) => {
      this.onerror?.(error);
      // The stream of the older SSE is the session. The SDK would open another one, on which the server knows neither the client nor its
      // requests.
      if (isStarted && error instanceof SseError) void this.close();
    };
    inner.onclose = () => this.onclose?.();
    await inner.start();
    isStarted = true;
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const inner = this.#inner;
    if (inner instanceof SSEClientTransport) return inner.send(message);
    const id = isRequest(message) ? message.id : undefined;
    if (id === undefined) return inner.send(message, withoutUndefined(options));
    this.#waiting.add(id);
    this.#parts.wire.rate.expectAnswer();
    const exchange = { isStream: false };
    try {
      await this.#exchange.run(exchange, () =>
        inner.send(message, {
          ...withoutUndefined(options),
          onRequestStreamEnd: () => {
            this.#endWithoutAnswer(id);
            options.onRequestStreamEnd?.();
          },
        }),
      );
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
    if (!exchange.isStream) this.#endWithoutAnswer(id);
  }

  async close(): Promise<void> {
    const inner = this.#inner;
    if (inner instanceof StreamableHTTPClientTransport && inner.sessionId !== undefined) {
      // The server may forget the session; one that does not receive this forgets it later.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, goodbyeMs);
      });
      await Promise.race([inner.terminateSession().catch(() => undefined), late]);
      clearTimeout(timer);
    }
    await inner.close();
  }

  // The SDK waits as long as the server says, also 0 ms, and counts only attempts that fail.
  #reopenLater(reopen: () => void, wantedMs: number): () => void {
    const leastMs = shortestReopenMs * 2 ** Math.min(this.#reopened++, 16);
    const timer = this.#parts.clock.setTimer(reopen, Math.min(Math.max(wantedMs, leastMs), longestReopenMs), {
      isBackground: true,
    });
    return () => timer.cancel();
  }

  #endWithoutAnswer(id: RequestId): void {
    if (!this.#waiting.delete(id)) return;
    const error = { code: noAnswer, message: 'The response ended without an answer to the request' };
    this.onmessage?.({ jsonrpc: '2.0', id, error });
  }
}

function withoutUndefined(options: TransportSendOptions): HttpSendOptions {
  const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
  return {
    ...(resumptionToken === undefined ? {} : { resumptionToken }),
    ...(onresumptiontoken === undefined ? {} : { onresumptiontoken }),
    ...(requestSignal === undefined ? {} : { requestSignal }),
    ...(headers === undefined ? {} : { headers }),
  };
}
