import type { Row } from './row.ts';

/** Turns text that arrives in pieces into rows. */
export interface RowReader {
  /** The rows that are complete with this piece. @throws Error for text that is no table */
  push(piece: string): readonly Row[];
  /** The rows that the end of the text completes. @throws Error when it ends in the middle of a row */
  end(): readonly Row[];
}
