/** Value of a column. */
export type SqlValue = string | number | null;

/** Row as the database returned it: not trusted until it is decoded. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runner of SQL statements. */
export interface SqlRunner {
  readonly dialect: Dialect;
  /**
   * Runs one statement and returns its rows, if it has any. Parameters are written `$1`, `$2`….
   * @throws KernelError `E_STATE_UNAVAILABLE`, or `E_STATE_CORRUPT` if the database file itself is damaged
   */
  all(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** Transactions with the same lock name run one at a time, across all processes. */
  readonly lock?: string;
  /** Table with a `sequence` in which the transaction may insert rows: {@link Database.settled} waits for it. */
  readonly inserts?: string;
  /**
   * `disk` (default): the transaction survives a power failure. `database`: it survives the end of the process and of a
   * database server. `process`: it survives the end of the process. The last two survive a power failure, and `process` the end
   * of a database server, once a later transaction is on disk.
   */
  readonly durability?: 'disk' | 'database' | 'process';
  /** True if its statements, and its wait for the lock, may take as long as they need. */
  readonly isUnlimited?: boolean;
}

/**
 * Search for words, in which the databases differ most. A word has only letters and digits, without case and accents. The table
 * `ravi_memories` has the words of each row in its column `words`, as {@link WordSearch.column} writes them.
 */
export interface WordSearch {
  /** Statements that index the table, which is empty. */
  readonly index: readonly string[];
  /** Returns the text of the column for the words of a row, in their order. */
  column(words: readonly string[]): string;
  /** Returns the text of a query for rows of an owner with at least one of the words. */
  query(principalKey: string, words: readonly QueryWord[]): string;
  /** Statement that returns the rows of an owner, the best match first. Parameters: the key of the owner, the query, the limit. */
  readonly select: string;
}

/** Word of a query. */
export interface QueryWord {
  readonly word: string;
  /** True if it matches the beginning of a word too. */
  readonly isBeginning: boolean;
}

/** SQL fragments in which the databases differ. */
export interface Dialect {
  /** Kind of database, such as `postgres`, for an engine that joins a transaction. */
  readonly name: string;
  /** Type of a column that numbers rows in the order of insertion and never reuses a number. */
  readonly sequence: string;
  /** Type of text compared by code points. */
  readonly text: string;
  /** Suffix of a `CREATE TABLE` that stores the rows in the order of their primary key; empty if there is none. */
  readonly clustered: string;
  /** Suffix of a `SELECT` that lets others read its rows but not change them until the transaction ends. */
  readonly lockRows: string;
  /** Suffix of a `SELECT` that lets others only read its rows until the transaction ends. It waits for those that hold them. */
  readonly takeRows: string;
  /** Like {@link Dialect.takeRows}, but leaves out rows that others hold. */
  readonly takeFreeRows: string;
  /** True if the `WITH` of a statement may insert rows. */
  readonly insertsInWith: boolean;
  /** Expression for the time by which processes live, in whole milliseconds since the Unix epoch, the same for every process. */
  readonly leaseNow: string;
  /** Returns an expression for the text of a field of a JSON column, `NULL` if the field is missing. */
  jsonField(column: string, field: string): string;
  readonly wordSearch: WordSearch;
}

/** Open database. */
export interface Database extends SqlRunner, AsyncDisposable {
  /** Runs `body` atomically: an error rolls back and is rethrown. Transactions do not nest. */
  transaction<Result>(body: (sql: SqlRunner) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Returns a number up to which the rows of a table with a `sequence` are complete: each is visible, or never will be. Transactions
   * commit in any order, so a reader that remembers the last number it has seen must not read beyond it. Every transaction that
   * inserts such rows names the table in {@link TransactionOptions.inserts}. A reader that knows the rows up to `known` passes it: if
   * there are no further ones, the number may be lower, and is found faster.
   */
  settled(table: string, known?: number): Promise<number>;
  /**
   * Checks what a statement of an open connection may not notice, such as a file that was removed or damaged. Absent if there is
   * nothing of that kind.
   * @throws KernelError `E_STATE_CORRUPT`, `E_STATE_UNAVAILABLE`
   */
  check?(): Promise<void>;
  /** Does the work of `RetentionStore.reclaim`. A database without it needs none. */
  reclaim?(): Promise<boolean>;
}
