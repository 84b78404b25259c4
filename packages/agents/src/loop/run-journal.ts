import { isKernelError, mayHaveBegun } from '@ravi/kernel';
import type { InterruptedCall } from '@ravi/invoker';
import type { Approval, ApprovalRequest, InvocationResult, Journal, JournalEntry, JournalItem } from '@ravi/kernel';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { StoreUser } from '../conversation/wait-for-store.ts';

/** Run whose calls are recorded. */
export interface JournaledRun extends StoreUser {
  readonly isSuspended: boolean;
}

/** Journal of the calls of one run, whose writes wait while the store is unavailable. */
export class RunJournal implements Journal {
  readonly #journal: Journal;
  readonly #writes = new Set<Promise<void>>();
  /** Last attempts of calls of an earlier process that have no outcome, by idempotency key. */
  readonly #interrupted = new Map<string, InterruptedCall & { readonly hasBegun: boolean }>();
  #run: JournaledRun | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Sets the run, which is created after its session with this journal. Returns `false` if it is the journal of a run above. */
  bind(run: JournaledRun): boolean {
    this.#run ??= run;
    return this.#run === run;
  }

  /** Resolves when no write is in progress. Never rejects. */
  async settled(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled(this.#writes);
  }

  /** Makes a call that began in an earlier process, and that is made again, the next attempt of that call, or its wait for a result. */
  continueFrom(items: readonly JournalItem[], approvals: readonly Approval[]): void {
    for (const item of items) {
      if (item.type !== 'call' || item.status === 'finished') continue;
      const { idempotencyKey, record, attempt, toolDigest } = item.entry;
      const completion = completionOf(record.callId, approvals);
      this.#interrupted.set(idempotencyKey, { record, attempt, toolDigest, completion, hasBegun: mayHaveBegun(item) });
    }
  }

  /** Returns the attempt of a call that an earlier process began, if it has no outcome. */
  interrupted(runId: string, callId: string): InterruptedCall | undefined {
    const call = this.#interrupted.get(`${runId}:${callId}`);
    return call?.hasBegun === true ? call : undefined;
  }

  started(entry: JournalEntry): Promise<void> {
    return this.#write(() => this.#journal.started(this.#numbered(entry)));
  }

  async finished(entry: JournalEntry, result: InvocationResult): Promise<void> {
    // The call may or may not have had its effect, so it has no outcome for the process that continues the run.
    if (entry.record.status === 'cancelled' && this.#run?.isSuspended === true) return;
    await this.#write(() => this.#journal.finished(this.#numbered(entry), result));
  }

  /** Records the outcome of an attempt that an earlier process began, and that is not made again. */
  finishEarlier(entry: JournalEntry, result: InvocationResult): Promise<void> {
    return this.#write(() => this.#journal.finished(entry, result));
  }

  #numbered(entry: JournalEntry): JournalEntry {
    const before = this.#interrupted.get(entry.idempotencyKey);
    const known = entry.attempt ?? (before === undefined ? undefined : before.attempt + 1);
    const attempt = entry.isWithdrawn === true ? (known ?? 1) + 1 : known;
    return attempt === undefined ? entry : { ...entry, attempt };
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

/** Returns the request with which a call waits for its result from outside, or takes it; `undefined` if it has none. */
export function completionOf(callId: string, approvals: readonly Approval[]): ApprovalRequest | undefined {
  return approvals.find(
    ({ request, status }) => request.callId === callId && request.completion !== undefined && status !== 'withdrawn',
  )?.request;
}
