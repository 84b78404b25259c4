import { isKernelError } from '@ravi/kernel';
import type { InvocationResult, Journal, JournalEntry } from '@ravi/kernel';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { StoreUser } from '../conversation/wait-for-store.ts';

/** Journal of the calls of one run, whose writes wait while the store is unavailable. */
export class RunJournal implements Journal {
  readonly #journal: Journal;
  readonly #writes = new Set<Promise<void>>();
  #run: StoreUser | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Sets the run, which is created after its session with this journal. Returns `false` if it is the journal of a run above. */
  bind(run: StoreUser): boolean {
    this.#run ??= run;
    return this.#run === run;
  }

  /** Resolves when no write is in progress. Never rejects. */
  async settled(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled(this.#writes);
  }

  started(entry: JournalEntry): Promise<void> {
    return this.#write(() => this.#journal.started(entry));
  }

  finished(entry: JournalEntry, result: InvocationResult): Promise<void> {
    return this.#write(() => this.#journal.finished(entry, result));
  }

  #write(write: () => Promise<void>): Promise<void> {
    const run = this.#run;
    if (run === undefined) return write();
    const writing = this.#writeFor(run, write).finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
    return writing;
  }

  #writeFor(run: StoreUser, write: () => Promise<void>): Promise<void> {
    let attempts = 0;
    return waitForStore(run, async () => {
      attempts++;
      try {
        await write();
      } catch (error) {
        // An attempt that failed without a reply may have been written. No other process writes while the lease is held.
        const isRepeated = attempts > 1 && isKernelError(error, 'E_STATE_CONFLICT');
        if (!isRepeated || (await run.lease?.confirm()) !== true) throw error;
      }
    });
  }
}
