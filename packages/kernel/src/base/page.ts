import type { KernelError } from './errors.ts';

/** What a query found. A row that cannot be read never hides the others: it stands in `corrupt` instead. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** One `E_STATE_CORRUPT` for each damaged row, which names its table and key; empty as a rule. */
  readonly corrupt: readonly KernelError[];
}

/** A part of a long list. */
export interface Page<Item> extends Listing<Item> {
  /** Give it as `cursor` for the part that follows; absent at the end. Opaque, and good across restarts. */
  readonly next?: string;
}

/** Which part of a list is asked for. */
export interface PageRequest {
  /** Rows at most, damaged ones included; 100 when absent, never more than 1 000. */
  readonly limit?: number;
  /**
   * `next` of the page before; the beginning when absent. Rows that are added meanwhile move nothing.
   * Text that is no cursor rejects with `E_STATE_INVALID`.
   */
  readonly cursor?: string;
}
