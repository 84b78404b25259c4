import { KernelError, scratchpadArea } from '@ravi/kernel';
import type { JsonValue, Logger, Principal, ValuePlace, ValueStore } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { RunScratchpad } from './run-scratchpad.ts';
import type { SessionLease } from './session-lease.ts';

/** Store in which the scratchpads of stored runs survive pauses and the end of a process. */
export type ScratchpadStore = Pick<ValueStore, 'get' | 'put'>;

/** Session of the run. */
export interface ScratchpadOwner {
  readonly runId: string;
  readonly principal: Principal;
  /** Lease of the run, once this process holds it. */
  readonly lease: SessionLease | undefined;
}

/** Scratchpad of one run in a store: one value, written as a whole. */
export class StoredScratchpad {
  readonly scratchpad: RunScratchpad = new RunScratchpad();
  readonly #store: ScratchpadStore;
  readonly #owner: ScratchpadOwner;
  readonly #logger: Logger;
  /** Changes of the scratchpad that the store has. */
  #stored = 0;
  /** Revision of the stored value; 0 for none. */
  #revision = 0;
  #last: Promise<void> = Promise.resolve();
  /** The next write, which has not begun and will have every change so far. */
  #next: Promise<void> | undefined;
  #isLost = false;

  constructor(store: ScratchpadStore, owner: ScratchpadOwner, logger: Logger) {
    this.#store = store;
    this.#owner = owner;
    this.#logger = logger;
  }

  get #place(): ValuePlace {
    const { runId: key, principal } = this.#owner;
    return { area: scratchpadArea, principal, key };
  }

  /**
   * Stores the changes so far; `undefined` if there are none. Changes of calls that end together share a write. Never rejects: after
   * a failure of the store, which is logged, the next call that ends tries again.
   */
  save(): Promise<void> | undefined {
    if (this.#isLost || this.scratchpad.changes === this.#stored) return undefined;
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#write();
    });
    return (this.#last = this.#next);
  }

  /**
   * Reads the values that an earlier process has stored. A process that has lost the run, and does not know it yet, can no longer
   * change them. Call it before the first call of a run that continues. May be repeated. @throws KernelError of the store, `E_STATE_CORRUPT`
   */
  async restore(): Promise<void> {
    const store = this.#store;
    for (;;) {
      const found = await store.get(this.#place);
      if (found === undefined) return;
      const entries = readEntries(found.value);
      const revision = await store.put(this.#place, found.value, { ifRevision: found.revision });
      if (revision === undefined) continue;
      this.#revision = revision;
      return this.scratchpad.fill(entries);
    }
  }

  async #write(): Promise<void> {
    const { changes, entries } = this.scratchpad;
    if (changes === this.#stored) return;
    try {
      if (await this.#put(entries)) this.#stored = changes;
      else this.#isLost = true;
    } catch (error) {
      const { runId } = this.#owner;
      this.#logger.error('the scratchpad of a run was not stored', { runId, error: errorText(error) });
    }
  }

  // Returns `false` if the run has ended or belongs to another process.
  async #put(entries: RunScratchpad['entries']): Promise<boolean> {
    const value = entries.map((entry) => [...entry]);
    const store = this.#store;
    for (;;) {
      const { lease } = this.#owner;
      if (lease?.isLost === true) return false;
      const revision = await store.put(this.#place, value, { ifRevision: this.#revision });
      if (revision !== undefined) {
        this.#revision = revision;
        return true;
      }
      // Written by an attempt that failed without a reply, or by a process that has lost the run, or is about to.
      if (lease !== undefined && !(await lease.confirm())) return false;
      this.#revision = (await store.get(this.#place))?.revision ?? 0;
    }
  }
}

function readEntries(value: JsonValue): readonly (readonly [key: string, text: string])[] {
  const isWhole =
    Array.isArray(value) &&
    value.every(
      (entry) => Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string'),
    );
  if (!isWhole) throw new KernelError('E_STATE_CORRUPT', 'The stored scratchpad of the run is damaged');
  return value as [key: string, text: string][];
}
