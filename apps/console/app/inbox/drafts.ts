import { useSyncExternalStore } from 'react';
import type { ApprovalView } from '@ravi/api';
import { isUndecided } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';

/** A decision that is not confirmed yet. */
export interface Draft {
  readonly mode: 'view' | 'edit' | 'deny';
  readonly reason: string;
  /** Present once arguments were edited. */
  readonly args?: JsonObject;
  /** True from the moment the decision is sent until the server refuses it. */
  readonly isSent?: boolean;
}

const empty: Draft = { mode: 'view', reason: '' };
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();
let changes = 0;

/** Draft of a decision; it survives a reload of the page, and is lost when the tab is closed. */
export function useDraft(id: string): readonly [Draft, (change: Partial<Draft>) => void, () => void] {
  const draft = useSyncExternalStore(listen, () => draftOf(id));
  return [
    draft,
    (change) => set(id, { ...draftOf(id), ...change }),
    () => {
      sessionStorage.removeItem(keyOf(id));
      set(id, empty);
    },
  ];
}

/** Returns the requests that wait for a decision, and those that ended while their decision was a draft. */
export function useOpenRequests(approvals: readonly ApprovalView[]): readonly ApprovalView[] {
  useSyncExternalStore(listen, () => changes);
  return approvals.filter((approval) => isUndecided(approval) || hasDraft(approval.id));
}

function hasDraft(id: string): boolean {
  const { mode, reason, args } = draftOf(id);
  return mode !== 'view' || reason !== '' || args !== undefined;
}

function draftOf(id: string): Draft {
  const known = drafts.get(id);
  if (known !== undefined) return known;
  const text = sessionStorage.getItem(keyOf(id));
  const draft = text === null ? empty : { ...empty, ...(JSON.parse(text) as Partial<Draft>) };
  drafts.set(id, draft);
  return draft;
}

function set(id: string, draft: Draft): void {
  drafts.set(id, draft);
  if (draft !== empty) keep(id, draft);
  changes += 1;
  for (const notify of listeners) notify();
}

function keep(id: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
  } catch {
    // Longer than a browser stores, about 5 MB: the draft lasts until the page is left.
  }
}

function keyOf(id: string): string {
  return `ravi.draft.${id}`;
}

function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => void listeners.delete(onChange);
}
