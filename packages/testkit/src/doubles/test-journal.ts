import { KernelError } from '@ravi/kernel';
import type { InvocationResult, Journal, JournaledCall, JournalEntry, JournalItem, Listing } from '@ravi/kernel';

/** One write of a {@link TestJournal}. */
export type JournalWrite =
  | { readonly kind: 'started'; readonly entry: JournalEntry }
  | { readonly kind: 'finished'; readonly entry: JournalEntry; readonly result: InvocationResult };

/** Journal in memory. `hold` and `fail` may delay or refuse a write. */
export interface TestJournal extends Journal {
  readonly writes: readonly JournalWrite[];
}

/** A {@link TestJournal}; `before` runs before each write and may throw or take its time. */
export function createTestJournal(before: (kind: JournalWrite['kind']) => unknown = () => {}): TestJournal {
  const writes: JournalWrite[] = [];
  return {
    writes,
    async started(entry) {
      await before('started');
      writes.push({ kind: 'started', entry });
    },
    async finished(entry, result) {
      await before('finished');
      writes.push({ kind: 'finished', entry, result });
    },
  };
}

/** A refusal for `before` of {@link createTestJournal}. */
export function refusing(kind: JournalWrite['kind']): (asked: JournalWrite['kind']) => void {
  return (asked) => {
    if (asked === kind) throw new KernelError('E_INTERNAL', 'The database is locked');
  };
}

/** Returns the record of each call, as read back after a crash. */
export function journalItems({ writes }: TestJournal): Listing<JournalItem> {
  const calls = new Map<string, JournaledCall>();
  for (const write of writes) {
    const entry = { ...write.entry, attempt: write.entry.attempt ?? 1 };
    const outcome = write.kind === 'started' ? {} : { result: write.result };
    calls.set(entry.idempotencyKey, { type: 'call', status: write.kind, entry, ...outcome });
  }
  return { items: [...calls.values()], corrupt: [] };
}
