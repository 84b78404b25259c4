import type { ApprovalChange } from './approval-store.ts';

/** Notifies listeners of changes of approvals, whichever process made them. */
export interface ApprovalFeed {
  /** Calls `listener` for each change that is made after `ready` resolves, in order, until `unsubscribe`. */
  subscribe(listener: (change: ApprovalChange) => void): ApprovalSubscription;
  /** Looks for changes now. Call it after this process has made one. */
  checkNow(): void;
}

/** A listener of an {@link ApprovalFeed}. */
export interface ApprovalSubscription {
  /** Resolves when every later change reaches the listener. Never rejects: it waits while the store is unavailable. */
  readonly ready: Promise<void>;
  /** Idempotent; also resolves `ready`. */
  unsubscribe(): void;
}
