import type { SubscriptionFilter } from '@modelcontextprotocol/client';
import type { Clock } from '@ravi/kernel';
import type { Connection } from './connection.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

/** Longest wait for the first subscription. A server that takes longer is read before it announces anything. */
const firstWaitMs = 1_000;

/**
 * Keeps a subscription to the lists of a server open, for version 2026-07-28; an older server announces changes without one. `onOpen` is
 * called whenever a subscription begins: a change before it may have been missed. Resolves after the
 * first attempt, or a second, or when the signal aborts; the subscription lasts until the connection ends.
 */
export async function listenForChanges(
  connection: Connection,
  clock: Clock,
  signal: AbortSignal,
  onOpen: () => void,
): Promise<void> {
  const filter = filterOf(connection);
  if (!connection.isModern || Object.keys(filter).length === 0) return;
  const tried = Promise.withResolvers<void>();
  const onTried = (): void => tried.resolve();
  const timer = clock.setTimer(onTried, firstWaitMs);
  signal.addEventListener('abort', onTried, { once: true });
  void keepListening(connection, filter, clock, { onOpen, onTried });
  await tried.promise;
  timer.cancel();
  signal.removeEventListener('abort', onTried);
}

function filterOf({ client }: Connection): SubscriptionFilter {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
  };
}

async function keepListening(
  connection: Connection,
  filter: SubscriptionFilter,
  clock: Clock,
  { onOpen, onTried }: { readonly onOpen: () => void; readonly onTried: () => void },
): Promise<void> {
  let pauseMs = firstPauseMs;
  while (connection.endReason() === undefined) {
    try {
      const subscription = await connection.client.listen(filter);
      onOpen();
      onTried();
      if ((await subscription.closed) === 'local') return;
      pauseMs = firstPauseMs;
    } catch {
      onTried();
      // The server may be busy, or does not know subscriptions; each pause is longer than the last.
    }
    await pauseOrEnd(connection, clock, pauseMs / 2 + (Math.random() * pauseMs) / 2);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

function pauseOrEnd(connection: Connection, clock: Clock, pauseMs: number): Promise<void> {
  const pause = Promise.withResolvers<void>();
  const timer = clock.setTimer(() => pause.resolve(), pauseMs, { isBackground: true });
  return Promise.race([pause.promise, connection.ended]).finally(() => timer.cancel());
}
