import { useState } from 'react';
import type { JsonObject } from '@ravi/kernel';

/** A decision that is not sent yet. */
export interface Draft {
  readonly mode: 'view' | 'edit' | 'deny';
  readonly reason: string;
  /** Present once arguments were edited. */
  readonly args?: JsonObject;
}

const empty: Draft = { mode: 'view', reason: '' };

/** Draft of a decision; it survives a reload of the page, and is lost when the tab is closed. */
export function useDraft(id: string): readonly [Draft, (change: Partial<Draft>) => void, () => void] {
  const key = `ravi.draft.${id}`;
  const [draft, setDraft] = useState(() => read(key));

  function change(part: Partial<Draft>): void {
    setDraft((before) => {
      const after = { ...before, ...part };
      sessionStorage.setItem(key, JSON.stringify(after));
      return after;
    });
  }

  function forget(): void {
    sessionStorage.removeItem(key);
    setDraft(empty);
  }

  return [draft, change, forget];
}

function read(key: string): Draft {
  const text = sessionStorage.getItem(key);
  return text === null ? empty : { ...empty, ...(JSON.parse(text) as Partial<Draft>) };
}
