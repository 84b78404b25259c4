import type { ApprovalChange, ApprovalStore, Clock, Logger, Timer } from '@ravi/kernel';
import { errorText } from '@ravi/support';

/** Tells of changes of approvals, whichever process made them. */
export interface ApprovalFeed {
  /** Tells `listener` of every change from now on, until the returned function is called. */
  subscribe(listener: (change: ApprovalChange) => void): () => void;
  /** Looks for changes now, since this process has just made one. */
  poke(): void;
}

/** What a feed is made of. */
export interface ApprovalFeedOptions {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between two looks while somebody listens; 250 when absent. */
  readonly intervalMs?: number;
}

/** One reader of the audit log for all who listen; it reads nothing while nobody does. A store that is gone is waited for. */
export function createApprovalFeed({ store, clock, logger, intervalMs = 250 }: ApprovalFeedOptions): ApprovalFeed {
  const listeners = new Set<(change: ApprovalChange) => void>();
  let timer: Timer | undefined;
  let position: number | undefined;
  let reading: Promise<void> | undefined;
  let isPoked = false;

  async function read(): Promise<void> {
    timer?.cancel();
    try {
      do {
        isPoked = false;
        if (position === undefined) position = await store.lastSequence();
        else await readOn(position);
      } while (isPoked && listeners.size > 0);
    } catch (error) {
      logger.warn('changes of approvals cannot be read at present', { error: errorText(error) });
    }
    reading = undefined;
    if (listeners.size === 0) position = undefined;
    else timer = clock.setTimer(look, intervalMs);
  }

  async function readOn(after: number): Promise<void> {
    const { items } = await store.changes({ after });
    for (const change of items) {
      position = change.sequence;
      for (const listener of listeners) listener(change);
    }
    isPoked ||= items.length > 0;
  }

  function look(): void {
    isPoked = true;
    reading ??= read();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      look();
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return;
        timer?.cancel();
        if (reading === undefined) position = undefined;
      };
    },
    poke: () => {
      if (listeners.size > 0) look();
    },
  };
}
