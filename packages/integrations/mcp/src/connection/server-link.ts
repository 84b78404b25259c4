import { KernelError } from '@ravi/kernel';
import type { Timer, ToolSourceStatus } from '@ravi/kernel';
import type { McpSourceContext } from '../options.ts';
import type { Connection } from './connection.ts';
import { describeFailure } from './describe-failure.ts';

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
/** A connection that lasted this long was good: the next failure starts with short delays again. */
const goodMs = 60_000;
/** Longest wait of a call for the next attempt. */
const callWaitMs = 3_000;

/** Options of {@link ServerLink}. */
export interface ServerLinkOptions extends McpSourceContext {
  readonly name: string;
  /** Connects once. The signal aborts when the link ends. */
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  /** Called with each new connection, before calls may use it. */
  readonly onConnected: (connection: Connection, signal: AbortSignal) => Promise<void>;
  readonly onStatus: () => void;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

/** State of a link, as its status reports it. */
export type LinkState = Pick<ToolSourceStatus, 'state' | 'message'>;

/** Connection to a server that is made again, with growing pauses, whenever it ends. */
export class ServerLink implements AsyncDisposable {
  readonly #options: ServerLinkOptions;
  readonly #ending = new AbortController();
  #connection: Connection | undefined;
  #attempt: Promise<void> | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  #connectedAt = 0;
  #nextAt = 0;
  #state: LinkState = { state: 'connecting' };
  #waiting: (() => void)[] = [];

  constructor(options: ServerLinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#state;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Connects now, unless an attempt is under way. Resolves when it has ended, in success or failure. */
  connect(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#attempt ??= this.#try().finally(() => {
      this.#attempt = undefined;
      for (const wake of this.#waiting.splice(0)) wake();
    });
    return this.#attempt;
  }

  /** Closes the connection and connects again at once. */
  async reconnect(): Promise<void> {
    await this.#attempt;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#failures = 0;
    await connection?.close();
    await this.connect();
  }

  /** Ends a connection that turned out not to work. The next attempt follows after a pause. */
  fail(connection: Connection, message: string): void {
    if (connection !== this.#connection) return;
    this.#lose(connection, message);
    void connection.close();
  }

  /**
   * Returns the connection for a call. Waits for an attempt that is under way or near.
   * @throws KernelError `E_SOURCE_UNAVAILABLE`
   */
  async ready(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const waitMs = this.#nextAt - this.#options.clock.monotonic();
    if (this.#attempt !== undefined) await this.#attempt;
    else if (this.#timer !== undefined && waitMs <= callWaitMs) await this.#nextAttempt();
    if (this.#connection !== undefined) return this.#connection;
    const { message = 'it is not connected' } = this.#state;
    throw new KernelError('E_SOURCE_UNAVAILABLE', `The MCP server ${this.#options.name} is not available: ${message}`, {
      retryable: true,
      retryAfterMs: Math.max(0, Math.ceil(this.#nextAt - this.#options.clock.monotonic())),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#timer?.cancel();
    await this.#attempt;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  #nextAttempt(): Promise<void> {
    this.#timer?.setBackground(false);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #try(): Promise<void> {
    const { signal } = this.#ending;
    this.#report({ state: 'connecting' });
    let connection: Connection | undefined;
    try {
      connection = await this.#options.connect(signal);
      await this.#options.onConnected(connection, signal);
      if (connection.endReason() !== undefined)
        throw new KernelError('E_SOURCE_UNAVAILABLE', connection.endReason() ?? '');
      if (signal.aborted) throw new KernelError('E_CANCELLED', 'The source was closed');
    } catch (error) {
      const reason = connection?.endReason() ?? describeFailure(error);
      await connection?.close();
      if (signal.aborted) return;
      this.#retryLater(reason);
      return;
    }
    const made = connection;
    this.#connection = made;
    this.#connectedAt = this.#options.clock.monotonic();
    void made.ended.then(() => this.#lose(made, made.endReason() ?? 'The connection ended'));
    this.#report({ state: 'ready' });
  }

  #lose(connection: Connection, reason: string): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    if (this.#options.clock.monotonic() - this.#connectedAt >= goodMs) this.#failures = 0;
    this.#retryLater(reason);
  }

  #retryLater(message: string): void {
    const { clock, logger, name, random = Math.random } = this.#options;
    const bound = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures++, 10));
    // Half of the pause is random, so that many processes do not return together.
    const delayMs = Math.ceil(bound / 2 + (random() * bound) / 2);
    this.#nextAt = clock.monotonic() + delayMs;
    this.#timer?.cancel();
    this.#timer = clock.setTimer(() => void this.connect(), delayMs, { isBackground: true });
    logger.warn('an MCP server is not available', { source: name, reason: message, retryInMs: delayMs });
    this.#report({ state: 'failed', message });
  }

  #report(state: LinkState): void {
    this.#state = state;
    this.#options.onStatus();
  }
}
