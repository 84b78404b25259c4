/** Database of a question. */
export type SqlDatabase =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Value of a parameter. */
export type SqlParameter = string | number | boolean | null;

/** One statement for the process that runs it. */
export interface SqlQuestion {
  readonly database: SqlDatabase;
  readonly sql: string;
  readonly params: readonly SqlParameter[];
  /** False for a statement that the database must refuse if it changes anything. */
  readonly isWrite: boolean;
  readonly maxRows: number;
  /** Bytes of all rows as JSON. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** Rows of a statement. */
export interface SqlAnswer {
  readonly columns: readonly string[];
  /** One JSON object for each row. */
  readonly lines: readonly string[];
  /** False if there are more rows than `maxRows`, or more bytes than `maxBytes`. */
  readonly isComplete: boolean;
  /** Number of rows that were changed; absent for a statement that only reads. */
  readonly changed?: number;
}
