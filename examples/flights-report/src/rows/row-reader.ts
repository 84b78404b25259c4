import type { ArtifactStream, JsonSchema, JsonValue } from '@ravi/kernel';
import type { Row } from './row.ts';

/** Turns text that arrives in pieces into rows. */
export interface RowReader {
  /** Returns the rows that this piece completes. @throws Error for text that is not a table */
  push(piece: string): readonly Row[];
  /** The rows that the end of the text completes. @throws Error when it ends in the middle of a row */
  end(): readonly Row[];
}

/** Schema of an argument that is a stored table: the invoker puts an {@link ArtifactStream} in its place. */
export const tableSchema: JsonSchema = {
  type: 'string',
  format: 'binary',
  description: 'A table: the handle that open_dataset or query_rows gave.',
};

/** The table that a tool with `artifacts: 'stream'` finds at a {@link tableSchema}. @throws Error for anything else */
export function tableOf(argument: JsonValue | undefined): ArtifactStream {
  const table = argument as unknown;
  if (typeof table === 'object' && table !== null && 'open' in table) return table as ArtifactStream;
  throw new Error('"table" must be the handle of a stored table; a small result is not a handle, use it in the script');
}
