import type { Row } from './row.ts';

/** Turns text that arrives in pieces into rows. */
export interface RowReader {
  /** Returns the rows that this piece completes. @throws Error for text that is not a table */
  push(piece: string): readonly Row[];
  /** The rows that the end of the text completes. @throws Error when it ends in the middle of a row */
  end(): readonly Row[];
}
