/** What a column can hold. */
export type SqlValue = string | number | null;

/** A row as the database gave it: nothing in it is trusted until it was decoded. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements. */
export interface SqlRunner {
  /**
   * The rows of one statement, none for one that gives none. Parameters stand as `$1`, `$2`….
   * @throws KernelError `E_STATE_UNAVAILABLE`, or `E_STATE_CORRUPT` when the file itself is damaged
   */
  all(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

/** How a transaction is run. */
export interface TransactionOptions {
  /** Of all transactions with the same name one runs at a time, in however many processes. */
  readonly lock?: string;
  /** `disk` (default): it survives a loss of power. `process`: it survives the end of the process, and a loss of power once a later one is on the disk. */
  readonly durability?: 'disk' | 'process';
}

/** In what the databases differ, as pieces of SQL. */
export interface Dialect {
  /** Type of a column that numbers rows in the order in which they were added and never gives a number twice. */
  readonly sequence: string;
  /** Type of text that is compared by code points. */
  readonly text: string;
  /** Behind a `SELECT`: others may read its rows but not change them until the transaction ends. */
  readonly holdRows: string;
  /** The text of a field of an object in a JSON column, `NULL` when there is none. */
  jsonField(column: string, field: string): string;
}

/** One open database. */
export interface Database extends SqlRunner, AsyncDisposable {
  readonly dialect: Dialect;
  /** Runs `body` whole or not at all; what it throws takes everything back and comes through. Transactions do not nest. */
  transaction<Result>(body: (sql: SqlRunner) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
}
