import type { SubscriptionFilter } from '@modelcontextprotocol/client';
import type { Clock } from '@ravi/kernel';
import type { Connection } from './connection.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

/**
 * Keeps a subscription to the lists of a server open, for version 2026-07-28; an older server announces changes without one. `onGap` is
 * called after an interruption, in which a change may have been missed.
 */
export function listenForChanges(connection: Connection, clock: Clock, onGap: () => void): void {
  const filter = filterOf(connection);
  if (!connection.isModern || Object.keys(filter).length === 0) return;
  void keepListening(connection, filter, clock, onGap);
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
  onGap: () => void,
): Promise<void> {
  let pauseMs = firstPauseMs;
  for (let round = 0; connection.endReason() === undefined; round++) {
    try {
      const subscription = await connection.client.listen(filter);
      if (round > 0) onGap();
      if ((await subscription.closed) === 'local') return;
      pauseMs = firstPauseMs;
    } catch {
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
