import { createServer } from 'node:http2';
import type { Http2Server, ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { failureText } from '@ravi/engine-kit';
import { KernelError } from '@ravi/kernel';
import type { Clock, Logger, Timer } from '@ravi/kernel';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import type { VirtualObjectDefinition } from '@restatedev/restate-sdk';
import { isReachable } from './restate-server.ts';
import type { RestateAdmin } from './restate-server.ts';
import { requestHoldMs } from './wake-queue.ts';
import type { WakeQueueHandlers } from './wake-queue.ts';

/** Options of {@link openWakeHost}. */
export interface WakeHostOptions {
  readonly queue: VirtualObjectDefinition<string, WakeQueueHandlers>;
  readonly admin: RestateAdmin;
  readonly host: string;
  readonly port: number;
  readonly advertisedUrl?: string;
  readonly identityKeys: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds between two looks at the process that executes the requests. */
const watchMs = 2_000;
/** Milliseconds until the second look at one that gave no reply. */
const suspectMs = 500;
const aliveLimitMs = 2_000;

/** Longest time in milliseconds until another process executes the requests of one that died. */
export const hostFailoverMs: number = watchMs + suspectMs + 2 * aliveLimitMs + requestHoldMs;

/**
 * Serves the queue to Restate, which calls one process of the installation at a time: the first one that was opened, and after its end another
 * one that notices it.
 * @throws KernelError `E_CONFIG_INVALID` if the address cannot be used, `E_ENGINE_UNAVAILABLE`
 */
export async function openWakeHost(options: WakeHostOptions): Promise<AsyncDisposable> {
  const { queue, admin, host, port, advertisedUrl, clock, logger } = options;
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer(handlerOf(options));
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const bound = await listen(server, host, port);
  const url = new URL(advertisedUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${bound}`).href;
  let isClosed = false;
  let timer: Timer | undefined;
  let isSuspect = false;
  let watching: Promise<void> = Promise.resolve();

  /** Lets Restate call this process if it calls none that is alive. The first look believes a missing reply, later ones look twice. */
  async function claim(isFirst: boolean): Promise<void> {
    const current = await admin.deploymentOf(queue.name);
    if (current === undefined) return admin.register(url);
    if (current.url === url || (await isReachable(current.url, aliveLimitMs))) {
      isSuspect = false;
      return undefined;
    }
    if (!isFirst && !isSuspect) {
      isSuspect = true;
      return undefined;
    }
    isSuspect = false;
    if (isClosed) return undefined;
    logger.info('the process that orders runs is gone; this one does it', { service: queue.name, url });
    return admin.move(current.id, url);
  }

  function watchLater(): void {
    if (isClosed) return;
    timer = clock.setTimer(
      () => {
        watching = claim(false)
          .catch((error: unknown) => logger.warn('the engine cannot watch Restate', { error: failureText(error) }))
          .then(watchLater);
      },
      isSuspect ? suspectMs : watchMs,
      { isBackground: true },
    );
  }

  async function close(): Promise<void> {
    isClosed = true;
    timer?.cancel();
    await watching;
    const isDown = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const session of sessions) session.destroy();
    await isDown;
  }

  try {
    await claim(true);
  } catch (error) {
    await close();
    throw error;
  }
  watchLater();
  return { [Symbol.asyncDispose]: close };
}

function handlerOf({ queue, identityKeys, logger }: WakeHostOptions): ReturnType<typeof createEndpointHandler> {
  try {
    return createEndpointHandler({
      services: [queue],
      identityKeys: [...identityKeys],
      logger: ({ level }, message: unknown) => {
        if (level === 'warn' || level === 'error') logger.debug('Restate reports', { level, message: String(message) });
      },
    });
  } catch (cause) {
    const reason = failureText(cause);
    throw new KernelError('E_CONFIG_INVALID', `identityKeys cannot be used: ${reason}`, { cause });
  }
}

function listen(server: Http2Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The address ${host}:${port} for requests of Restate (host, port) cannot be used: ${cause.message}`;
      reject(new KernelError('E_CONFIG_INVALID', message, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
