import type { ApprovalChange, ApprovalFeed, ApprovalStore, Clock, Logger, Timer } from '@ravi/kernel';

/** Options of {@link createApprovalFeed}. */
export interface ApprovalFeedOptions {
  readonly store: Pick<ApprovalStore, 'changes' | 'lastSequence'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest pause between two reads of the store, in milliseconds; default 250. */
  readonly maxPollMs?: number;
}

interface Listener {
  readonly notify: (change: ApprovalChange) => void;
  readonly onReady: () => void;
}

const defaultMaxPollMs = 250;
const minPollMs = 25;
const maxLines = 1_000;

/**
 * Creates a feed that polls the audit log of the store once for all listeners, and not at all without a listener. The
 * pause between two reads starts at 25 ms and doubles up to `maxPollMs` while nothing changes.
 */
export function createApprovalFeed(options: ApprovalFeedOptions): ApprovalFeed {
  const { store, clock, logger, maxPollMs = defaultMaxPollMs } = options;
  const firstPauseMs = Math.min(minPollMs, maxPollMs);
  const listeners = new Set<Listener>();
  let cursor: number | undefined;
  let pauseMs = firstPauseMs;
  let timer: Timer | undefined;
  let isReading = false;
  let isReadWanted = false;

  async function read(): Promise<void> {
    timer?.cancel();
    if (isReading) return void (isReadWanted = true);
    isReading = true;
    try {
      do {
        isReadWanted = false;
        await readOnce();
      } while (isReadWanted && listeners.size > 0);
    } catch (error) {
      slowDown();
      logger.warn('cannot read the changes of approvals; will retry', { error });
    } finally {
      isReading = false;
    }
    if (listeners.size > 0) timer = clock.setTimer(() => void read(), pauseMs, { isBackground: true });
    else cursor = undefined;
  }

  async function readOnce(): Promise<void> {
    // A listener that subscribes while this waits becomes ready with the next read.
    const waiting = [...listeners];
    cursor ??= await store.lastSequence();
    const { items, corrupt } = await store.changes({ after: cursor, limit: maxLines });
    for (const { onReady } of waiting) onReady();
    for (const change of items) {
      cursor = change.sequence;
      for (const { notify } of listeners) notify(change);
    }
    if (items.length === 0) return slowDown();
    if (corrupt.length > 0) logger.error('corrupt changes of approvals were left out of a stream', { errors: corrupt });
    pauseMs = firstPauseMs;
    isReadWanted = true;
  }

  function slowDown(): void {
    pauseMs = Math.min(pauseMs * 2, maxPollMs);
  }

  function checkNow(): void {
    pauseMs = firstPauseMs;
    if (listeners.size > 0) void read();
  }

  return {
    subscribe(notify) {
      const { promise: ready, resolve: onReady } = Promise.withResolvers<void>();
      const listener = { notify, onReady };
      listeners.add(listener);
      checkNow();
      return {
        ready,
        unsubscribe() {
          listeners.delete(listener);
          onReady();
          if (listeners.size > 0) return;
          timer?.cancel();
          if (!isReading) cursor = undefined;
        },
      };
    },
    checkNow,
  };
}
