import type { ChainCallRecord, InvocationResult } from './chain.ts';

/** Remembers calls with side effects across a crash: `started` is durable before the tool runs, the outcome after it. */
export interface Journal {
  /** Resolves when the record is durable. @throws KernelError when it cannot be written; the call then does not start. */
  started(entry: JournalEntry): Promise<void>;
  /** Resolves when the outcome is durable. */
  finished(entry: JournalEntry, result: InvocationResult): Promise<void>;
}

/** One call as the journal keeps it. */
export interface JournalEntry {
  readonly runId: string;
  readonly sessionId: string;
  /** The same for every attempt of the same logical call. */
  readonly idempotencyKey: string;
  readonly record: ChainCallRecord;
}
