import type { RunWriter } from '../base/run-context.ts';
import type { JsonValue } from '../base/json.ts';
import type { Page, PageRequest } from '../base/page.ts';

/** Exchange of a run with its model. */
export interface Exchange {
  readonly runId: string;
  /** Data that only this exchange has. */
  readonly record: JsonValue;
  /** Large values that many exchanges have in common, such as tool definitions, by name. Each content is stored once. */
  readonly shared: Readonly<Record<string, JsonValue>>;
}

/** Exchange in a list. */
export interface StoredExchange extends Exchange {
  /** Continues the list after this exchange, as `next` does after a page. */
  readonly cursor: string;
}

/** Stores the exchanges of runs with their models, and numbers them. */
export interface ExchangeStore {
  /**
   * Appends an exchange. Resolves when it survives the end of the process.
   * @throws KernelError `E_STATE_CONFLICT` if `writer` no longer executes its run
   */
  append(exchange: Exchange, writer?: RunWriter): Promise<void>;
  /** Returns one page of the exchanges of a run, in the order in which they were appended. */
  list(runId: string, page?: PageRequest): Promise<Page<StoredExchange>>;
}
