import type { ApprovalChange, ApprovalStore, Clock, Logger, Timer } from '@ravi/kernel';

/** Tells those who listen of every change in the store, whichever process made it. One poller serves them all. */
export interface ApprovalFeed {
  /** Each change after `ready` resolves is told to `listener`, in order, until `stop`. */
  listen(listener: (change: ApprovalChange) => void): Listening;
  /** Looks at once, because this process has just changed something. */
  nudge(): void;
}

/** The attention of one listener. */
export interface Listening extends Disposable {
  /** Never rejects: a store that is gone is waited for. */
  readonly ready: Promise<void>;
}

/** What a feed works with. */
export interface ApprovalFeedOptions {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The longest pause between two looks, in milliseconds. */
  readonly maxPollMs: number;
}

const maxLines = 1_000;

interface Listener {
  readonly tell: (change: ApprovalChange) => void;
  readonly onReady: () => void;
}

/** A feed that polls while somebody listens, more slowly the longer nothing happens. */
export function createApprovalFeed({ store, clock, logger, maxPollMs }: ApprovalFeedOptions): ApprovalFeed {
  const listeners = new Set<Listener>();
  let cursor: number | undefined;
  const firstPauseMs = Math.min(25, maxPollMs);
  let pauseMs = firstPauseMs;
  let timer: Timer | undefined;
  let isLooking = false;
  let isNudged = false;

  async function look(): Promise<void> {
    timer?.cancel();
    if (isLooking) return void (isNudged = true);
    isLooking = true;
    try {
      do {
        isNudged = false;
        await readOn();
      } while (isNudged && listeners.size > 0);
    } catch (error) {
      slowDown();
      logger.warn('the changes of approvals could not be read; trying again', { error });
    } finally {
      isLooking = false;
    }
    if (listeners.size > 0) timer = clock.setTimer(() => void look(), pauseMs);
    else cursor = undefined;
  }

  async function readOn(): Promise<void> {
    // Whoever begins to listen while this waits is not ready before the next look.
    const waiting = [...listeners];
    cursor ??= await store.lastSequence();
    const { items, corrupt } = await store.changes({ after: cursor, limit: maxLines });
    for (const { onReady } of waiting) onReady();
    for (const change of items) {
      cursor = change.sequence;
      for (const { tell } of listeners) tell(change);
    }
    if (items.length === 0) return slowDown();
    if (corrupt.length > 0) logger.error('changes of approvals are damaged', { errors: corrupt });
    pauseMs = firstPauseMs;
    isNudged = true;
  }

  function slowDown(): void {
    pauseMs = Math.min(pauseMs * 2, maxPollMs);
  }

  function nudge(): void {
    pauseMs = firstPauseMs;
    if (listeners.size > 0) void look();
  }

  return {
    listen(tell) {
      const { promise: ready, resolve: onReady } = Promise.withResolvers<void>();
      const listener = { tell, onReady };
      listeners.add(listener);
      nudge();
      return {
        ready,
        [Symbol.dispose]() {
          listeners.delete(listener);
          onReady();
          if (listeners.size > 0) return;
          timer?.cancel();
          if (!isLooking) cursor = undefined;
        },
      };
    },
    nudge,
  };
}
