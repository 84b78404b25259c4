import type { KernelError } from './errors.ts';

/** Result of a query. A damaged row does not hide the others; it is reported in `corrupt`. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** One `E_STATE_CORRUPT` for each damaged row, naming its table and key. Usually empty. */
  readonly corrupt: readonly KernelError[];
}

/** One page of a long list. */
export interface Page<Item> extends Listing<Item> {
  /** The `cursor` of the following page; absent on the last one. Opaque, and valid across restarts. */
  readonly next?: string;
}

/** Position and size of a page. */
export interface PageRequest {
  /** Maximum number of rows, including damaged ones. Default 100, at most 1 000. */
  readonly limit?: number;
  /**
   * The `next` of the previous page; the start of the list when absent. Rows added in the meantime do not shift pages.
   * Any other text rejects with `E_STATE_INVALID`.
   */
  readonly cursor?: string;
}
