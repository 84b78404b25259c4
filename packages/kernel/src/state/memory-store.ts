import type { Page, PageRequest } from '../base/page.ts';
import type { Principal } from '../base/run-context.ts';

/** Limits of memories. */
export interface MemoryLimits {
  /** UTF-8 bytes of one text. */
  readonly textBytes: number;
  /** Tags of one memory. */
  readonly tags: number;
  /** Characters of one tag. */
  readonly tagLength: number;
  /** Memories of one principal. */
  readonly perPrincipal: number;
  /** Different words of a query that count; a store ignores the others. */
  readonly queryWords: number;
  /** Results of one search. */
  readonly results: number;
}

/** Limits that every {@link MemoryStore} has. */
export const memoryLimits: MemoryLimits = Object.freeze({
  textBytes: 16 * 1024,
  tags: 16,
  tagLength: 64,
  perPrincipal: 10_000,
  queryWords: 32,
  results: 100,
});

/** Memory to store. */
export interface NewMemory {
  /** Chosen by the caller and unique for its principal. */
  readonly id: string;
  /** Owner; no other principal can find it. */
  readonly principal: Principal;
  /** Any text that is not empty. */
  readonly text: string;
  /** Words under which it is found too, in addition to those of the text. */
  readonly tags?: readonly string[];
  /** Agent that remembers it. Absent without an agent. */
  readonly agent?: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Memory as stored. */
export interface Memory extends NewMemory {
  /** Grows with each memory, and is never used again. */
  readonly number: number;
}

/** Texts that outlive runs, each of one principal, found by their words. Limits: {@link memoryLimits}. */
export interface MemoryStore {
  /**
   * Stores a memory. An id that the principal has already changes nothing and returns what is stored under it.
   * @throws KernelError `E_STATE_INVALID` for an empty or too large text and for tags beyond the limits, `E_BUDGET_EXHAUSTED` if the
   * principal has as many memories as it may
   */
  add(memory: NewMemory): Promise<Memory>;
  get(principal: Principal, id: string): Promise<Memory | undefined>;
  /**
   * Returns the memories that have a word of the query, the best match first: one with more, rarer and more frequent words. Among equal
   * ones the newest is first. A word is a sequence of letters and digits, compared without case and accents; one of three or more
   * characters also finds words that begin with it. Everything else in a query separates words: it has no syntax. A query without a
   * word finds nothing. `limit`: 10 by default.
   * @throws KernelError `E_STATE_INVALID` for a limit that is not a positive integer
   */
  search(principal: Principal, query: string, options?: { readonly limit?: number }): Promise<readonly Memory[]>;
  /** Newest first. */
  list(principal: Principal, page?: PageRequest): Promise<Page<Memory>>;
  /** Returns the number of memories of a principal. */
  count(principal: Principal): Promise<number>;
  /** Removes a memory for good; `false` if the principal has none with this id. */
  delete(principal: Principal, id: string): Promise<boolean>;
  /** Removes all memories of a principal for good, and returns their number. */
  clear(principal: Principal): Promise<number>;
}
