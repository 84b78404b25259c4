import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArtifactStream } from '@ravi/kernel';
import { createCsvRowReader } from './csv-rows.ts';
import { createJsonRowReader } from './json-rows.ts';
import type { Row } from './row.ts';

const pieceBytes = 262_144;

/**
 * The rows of a stored table, JSON or CSV, a batch at a time. The event loop gets its turn between batches, so a table
 * of any size does not block the event loop.
 * @throws Error for content that is not a table; the signal's reason when it aborts
 */
export async function* readRows(table: ArtifactStream, signal: AbortSignal): AsyncGenerator<readonly Row[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let reader = undefined;
  for await (const chunk of await table.open()) {
    for (let start = 0; start < chunk.byteLength; start += pieceBytes) {
      signal.throwIfAborted();
      const piece = decoder.decode(chunk.subarray(start, start + pieceBytes), { stream: true });
      reader ??= /^\s*[[{]/.test(piece) ? createJsonRowReader() : createCsvRowReader();
      yield reader.push(piece);
      await nextTurn();
    }
  }
  if (reader === undefined) throw new Error('The table is empty');
  yield reader.end();
}
