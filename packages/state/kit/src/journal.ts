import type { RunJournal } from '@ravi/kernel';
import { createBatchedWriter } from './batched-writer.ts';
import { conflict } from './errors.ts';
import {
  eventRow,
  finishedRow,
  identityIn,
  identityOf,
  journalColumns,
  itemsOfRows,
  packableJournal,
  startedRow,
  valuesOf,
} from './journal-rows.ts';
import { ownersOf, problemOf } from './run-rows.ts';
import { rowsOf } from './packed-rows.ts';
import { insertRows } from './select.ts';
import type { Database, SqlRunner, TransactionOptions } from './database.ts';
import type { JournalRow } from './journal-rows.ts';

const maxRowsOfBatch = 64;
const maxCharactersOfBatch = 4 * 1024 * 1024;

/** Journal in a table, which can be closed. */
export interface SqlJournal extends RunJournal {
  /** Rejects new entries and resolves when all earlier ones are written or rejected. */
  close(): Promise<void>;
}

/**
 * Creates an append-only journal: a call adds a row when it starts and another when it ends, and a unique index allows
 * each of them once. Rows that arrive together share one transaction, which is flushed to disk if one of them starts a
 * call.
 */
export function createJournal(database: Database): SqlJournal {
  const writer = createBatchedWriter<JournalRow>({
    maxItems: maxRowsOfBatch,
    maxSize: maxCharactersOfBatch,
    sizeOf: ({ record }) => record.length,
    write: (rows) =>
      database.transaction((sql) => write(sql, database.dialect.lockRows, rows), {
        durability: durabilityOf(rows),
      }),
  });
  return {
    started: async (entry) => writer.add(startedRow(entry)),
    finished: async (entry, result) => writer.add(finishedRow(entry, result)),
    observed: async (event) => writer.add(eventRow(event)),
    async entries(runId) {
      return itemsOfRows(await rowsOf(database, packableJournal, [runId]));
    },
    close: () => writer.close(),
  };
}

// A replay needs every outcome with a position before one that a process recorded later, also when the database server fails.
function durabilityOf(rows: readonly JournalRow[]): NonNullable<TransactionOptions['durability']> {
  if (rows.some(({ isStart }) => isStart)) return 'disk';
  return rows.some(({ hasPosition }) => hasPosition) ? 'database' : 'process';
}

/** Writes the rows that are allowed and returns the problem of each row. */
async function write(
  sql: SqlRunner,
  lockRows: string,
  rows: readonly JournalRow[],
): Promise<readonly (Error | undefined)[]> {
  // A claim of the run waits until these rows are written, so that the new owner sees them.
  const runIds = rows.flatMap(({ writer }) => (writer === undefined ? [] : [writer.runId]));
  const owners = await ownersOf(sql, lockRows, new Set(runIds));
  const problems = new Map<JournalRow, Error>();
  for (const row of rows) {
    const problem = problemOf(row.writer, owners) ?? (await wrongAttempt(sql, row));
    if (problem !== undefined) problems.set(row, problem);
  }
  const allowed = rows.filter((row) => !problems.has(row));
  const written =
    allowed.length === 0 ? [] : await insertRows(sql, 'ravi_journal', journalColumns, allowed.map(valuesOf));
  const places = new Set(written.map(identityIn));
  return rows.map((row) => problems.get(row) ?? (places.delete(identityOf(row)) ? undefined : duplicate(row)));
}

async function wrongAttempt(
  sql: SqlRunner,
  { runId, slot, attempt, phase, isStart }: JournalRow,
): Promise<Error | undefined> {
  if (!isStart || attempt === 1) return undefined;
  const before = await sql.all('SELECT phase FROM ravi_journal WHERE run_id = $1 AND slot = $2 AND attempt = $3', [
    runId,
    slot,
    attempt - 1,
  ]);
  if (before.length === 1 && before[0]?.['phase'] === phase) return undefined;
  const reason = before.length === 0 ? 'has not started' : 'has an outcome';
  return conflict(`Attempt ${attempt} at ${slot} of run "${runId}" cannot start: attempt ${attempt - 1} ${reason}`);
}

function duplicate({ runId, slot, attempt, phase }: JournalRow): Error {
  const what = phase === 0 ? 'is recorded' : 'has an outcome';
  return conflict(`Attempt ${attempt} at ${slot} of run "${runId}" already ${what}`);
}
