import { setTimeout as sleep } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { messageWithCauses } from '@ravi/support';
import { findInstallation } from './installation.ts';
import { openMonolith } from './lifespan.ts';
import type { Monolith, MonolithOptions } from './lifespan.ts';
import { requireLoopback } from './server-address.ts';
import { startWaitingServer } from './waiting-server.ts';
import type { MissingPart } from './waiting-server.ts';

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

/** Parts that a server waits for, by the code of their error. */
const awaited: readonly MissingPart[] = [
  { adapter: 'stateStore', label: 'state store', code: 'E_STATE_UNAVAILABLE' },
  { adapter: 'runEngine', label: 'engine of runs', code: 'E_ENGINE_UNAVAILABLE' },
  { adapter: 'sandbox', label: 'sandbox', code: 'E_SANDBOX_UNAVAILABLE' },
];

/**
 * Opens a process. While the state store, the engine or every sandbox node is unavailable it listens, reports that it is not ready,
 * and tries again with a delay that doubles from 250 ms to 5 s. Returns `undefined` if `shutdown` resolves first.
 * @throws KernelError as {@link openMonolith}, except a retryable `E_STATE_UNAVAILABLE`, `E_ENGINE_UNAVAILABLE` or
 * `E_SANDBOX_UNAVAILABLE`
 */
export async function openWhenAvailable(options: OpenWhenAvailableOptions): Promise<Opened | undefined> {
  const { listen, shutdown, waitLog, onWaiting, ...monolith } = options;
  try {
    return { monolith: await openMonolith(monolith), port: listen.port };
  } catch (error) {
    let missing = missingPart(error);
    if (missing === undefined) throw error;
    const { server } = (await findInstallation(monolith)).config;
    const { host = server.host, port = server.port } = listen;
    if (server.tokens.length === 0) requireLoopback(host);
    await using waiting = await startWaitingServer(host, port, () => missing as MissingPart);
    onWaiting(waiting.url);
    const onFailure = (part: MissingPart): void => void (missing = part);
    const opened = await retry(error, monolith, { shutdown, waitLog, onFailure });
    return opened && { monolith: opened, port: waiting.port };
  }
}

async function retry(
  first: unknown,
  options: MonolithOptions,
  {
    shutdown,
    waitLog,
    onFailure,
  }: Pick<OpenWhenAvailableOptions, 'shutdown' | 'waitLog'> & { readonly onFailure: (part: MissingPart) => void },
): Promise<Monolith | undefined> {
  let isOver = false;
  const over = shutdown.then(() => {
    isOver = true;
  });
  let reason = '';
  let error = first;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    const part = missingPart(error);
    if (part === undefined) throw error;
    onFailure(part);
    const found = messageWithCauses(error as Error);
    if (found !== reason) waitLog.error(`waiting for the ${part.label}`, { reason: found });
    reason = found;
    await Promise.race([sleep(delayMs * (0.5 + Math.random() / 2)), over]);
    if (isOver) return undefined;
    try {
      return await openMonolith(options);
    } catch (failed) {
      error = failed;
    }
  }
}

/** Returns the part that an error is about; `undefined` if waiting for it would not help. */
function missingPart(error: unknown): MissingPart | undefined {
  return awaited.find(({ code }) => isKernelError(error, code) && error.retryable);
}
