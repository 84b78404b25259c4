import { setTimeout as sleep } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { messageWithCauses } from '@ravi/support';
import { findInstallation } from './installation.ts';
import { openMonolith } from './lifespan.ts';
import type { Monolith, MonolithOptions } from './lifespan.ts';
import { requireLoopback } from './server-address.ts';
import { startWaitingServer } from './waiting-server.ts';

/** Address to listen on. Absent fields come from the configuration. */
export interface ListenOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/** Options of {@link openWhenAvailable}. */
export interface OpenWhenAvailableOptions extends MonolithOptions {
  readonly listen: ListenOptions;
  /** Ends the wait. */
  readonly shutdown: Promise<unknown>;
  /** Receives the reason of the wait, once for each new one. */
  readonly waitLog: Logger;
  /** Called once with the address, if the process has to wait. */
  onWaiting(url: string): void;
}

/** An open process, and the port on which it already listened while it waited. */
export interface Opened {
  readonly monolith: Monolith;
  readonly port: number | undefined;
}

const firstDelayMs = 250;
const maxDelayMs = 5_000;

/**
 * Opens a process. While the state store is unavailable it listens, reports that it is not ready, and tries again with a
 * delay that doubles from 250 ms to 5 s. Returns `undefined` if `shutdown` resolves first.
 * @throws KernelError as {@link openMonolith}, except a retryable `E_STATE_UNAVAILABLE`
 */
export async function openWhenAvailable(options: OpenWhenAvailableOptions): Promise<Opened | undefined> {
  const { listen, shutdown, waitLog, onWaiting, ...monolith } = options;
  try {
    return { monolith: await openMonolith(monolith), port: listen.port };
  } catch (error) {
    if (!isTemporary(error)) throw error;
    const { server } = (await findInstallation(monolith)).config;
    const { host = server.host, port = server.port } = listen;
    if (server.tokens.length === 0) requireLoopback(host);
    await using waiting = await startWaitingServer(host, port);
    onWaiting(waiting.url);
    const opened = await retry(error, monolith, { shutdown, waitLog });
    return opened && { monolith: opened, port: waiting.port };
  }
}

async function retry(
  first: Error,
  options: MonolithOptions,
  { shutdown, waitLog }: Pick<OpenWhenAvailableOptions, 'shutdown' | 'waitLog'>,
): Promise<Monolith | undefined> {
  let isOver = false;
  const over = shutdown.then(() => {
    isOver = true;
  });
  let reason = '';
  let error = first;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    const found = messageWithCauses(error);
    if (found !== reason) waitLog.error('waiting for the state store', { reason: found });
    reason = found;
    await Promise.race([sleep(delayMs * (0.5 + Math.random() / 2)), over]);
    if (isOver) return undefined;
    try {
      return await openMonolith(options);
    } catch (failed) {
      if (!isTemporary(failed)) throw failed;
      error = failed;
    }
  }
}

function isTemporary(error: unknown): error is Error {
  return isKernelError(error, 'E_STATE_UNAVAILABLE') && error.retryable;
}
