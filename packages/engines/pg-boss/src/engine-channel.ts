import type { Clock, Logger, RunSignal, Timer } from '@ravi/kernel';
import type { Db } from 'pg-boss';
import pg from 'pg';
import { engineError } from './engine-database.ts';

/**
 * Message between the processes of an engine: a hint of a caller; `ready`, wakes are due; `taken-over`, runs were taken from dead
 * processes.
 */
export type EngineMessage = RunSignal | { readonly type: 'ready' } | { readonly type: 'taken-over' };

/** Options of {@link openEngineChannel}. */
export interface EngineChannelOptions {
  readonly url?: string;
  /** Name of the channel, which needs no quotes. */
  readonly channel: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives messages, and `missed` after the connection was lost for a while. */
  onMessage(message: EngineMessage): void;
}

const checkEveryMs = 15_000;
const firstRetryMs = 500;
const maxRetryMs = 10_000;

/** Sends a message with the end of the transaction of `db`, or at once without one. */
export async function sendMessage(db: Db, channel: string, message: EngineMessage): Promise<void> {
  await db.executeSql('SELECT pg_notify($1, $2)', [channel, JSON.stringify(message)]);
}

/**
 * Listens on a channel of PostgreSQL, over one connection that is replaced when it breaks. @throws KernelError `E_ENGINE_UNAVAILABLE` if the first
 * connection cannot be made
 */
export async function openEngineChannel(options: EngineChannelOptions): Promise<AsyncDisposable> {
  const { url, channel, timeoutMs, clock, logger, onMessage } = options;
  let client: pg.Client | undefined;
  let timer: Timer | undefined;
  let isClosed = false;
  let failures = 0;

  async function connect(): Promise<void> {
    const opened = new pg.Client({
      ...(url === undefined ? {} : { connectionString: url }),
      application_name: 'ravi-engine',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    });
    opened.on('error', () => {});
    opened.on('notification', ({ payload = '' }) => receive(payload));
    try {
      await opened.connect();
      await opened.query(`LISTEN ${channel}`);
    } catch (error) {
      void opened.end().catch(() => {});
      throw engineError(error);
    }
    if (isClosed) return void (await opened.end());
    client = opened;
    opened.once('end', () => reconnectAfter(opened));
    checkLater(opened);
  }

  function receive(payload: string): void {
    try {
      onMessage(JSON.parse(payload) as EngineMessage);
    } catch (error) {
      logger.warn('the engine received a message that it cannot read', { channel, error: String(error) });
    }
  }

  // A connection whose other side is gone reports nothing.
  function checkLater(checked: pg.Client): void {
    timer = clock.setTimer(
      () => {
        checked.query('SELECT 1').then(
          () => client === checked && !isClosed && checkLater(checked),
          () => reconnectAfter(checked),
        );
      },
      checkEveryMs,
      { isBackground: true },
    );
  }

  function reconnectAfter(broken: pg.Client): void {
    if (client !== broken || isClosed) return;
    client = undefined;
    timer?.cancel();
    void broken.end().catch(() => {});
    logger.warn('the engine lost the connection on which it listens', { channel });
    reconnectLater();
  }

  function reconnectLater(): void {
    const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
    failures += 1;
    timer = clock.setTimer(
      () => {
        connect().then(
          () => {
            failures = 0;
            if (!isClosed) onMessage({ type: 'missed' });
          },
          () => isClosed || reconnectLater(),
        );
      },
      delayMs,
      { isBackground: true },
    );
  }

  await connect();
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true;
      timer?.cancel();
      await client?.end().catch(() => {});
    },
  };
}
