import type { NewRunEvent, RunEventId, RunEventStore, RunEventWriter, StoredRunEvent } from '@ravi/kernel';
import { createBatchedWriter } from './batched-writer.ts';
import { invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId } from './keys.ts';
import { rowsOf } from './packed-rows.ts';
import { ownersOf, problemOf } from './run-rows.ts';
import { numberIn, objectIn, readRows, textIn } from './rows.ts';
import { addRows, pageSize } from './select.ts';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';
import type { PackableTable } from './packed-rows.ts';
import type { RowReader } from './rows.ts';

/** Table of the events of runs. */
export const runEventsTable = 'ravi_run_events';

const columns: readonly string[] = ['run_id', 'epoch', 'n', 'type', 'record'];

/** Events as a table whose rows can be packed. */
export const packableEvents: PackableTable = {
  table: runEventsTable,
  owner: ['run_id'],
  key: ['epoch', 'n'],
  columns: columns.filter((name) => name !== 'run_id'),
};

const maxAppendsOfBatch = 256;
const maxCharactersOfBatch = 4 * 1024 * 1024;
const maxRowsOfStatement = 64;

/** Reader of events. */
const runEvents: RowReader<StoredRunEvent> = {
  table: runEventsTable,
  key: (row) => `${String(row['run_id'])} ${String(row['epoch'])}.${String(row['n'])}`,
  decode: (row) => ({
    ...placeIn(row),
    type: textIn(row, 'type'),
    ...objectIn<Pick<NewRunEvent, 'at' | 'data'>>(row, 'record', ['at', 'data']),
  }),
};

/** Event store in a table, which can be closed. */
export interface SqlRunEvents extends RunEventStore {
  /** Rejects new events and resolves when all earlier ones are written or rejected. */
  close(): Promise<void>;
}

interface Append {
  readonly runId: string;
  readonly writer: RunEventWriter;
  readonly rows: readonly (readonly SqlValue[])[];
  readonly size: number;
}

/**
 * Creates a store of events. Events of all runs that arrive together share one transaction, which survives the end of the
 * process and of a database server, and reaches the disk with the next one that is flushed.
 */
export function createRunEvents(database: Database): SqlRunEvents {
  const batches = createBatchedWriter<Append>({
    maxItems: maxAppendsOfBatch,
    maxSize: maxCharactersOfBatch,
    sizeOf: ({ size }) => size,
    write: (appends) =>
      // Readers receive them, so they survive the end of the database server.
      database.transaction((sql) => write(sql, database.dialect.lockRows, appends), { durability: 'database' }),
  });
  return {
    async append(runId, writer, events) {
      const rows = events.map((event) => rowOf(runId, writer.epoch, event));
      if (rows.length === 0) return;
      const size = rows.reduce((total, row) => total + String(row.at(-1)).length, 0);
      await batches.add({ runId: checkId(runId, 'The run of an event'), writer, rows, size });
    },
    async list(runId, { after = { epoch: 0, n: 0 }, limit } = {}) {
      const size = pageSize(limit);
      const rows = await rowsOf(database, packableEvents, [runId], { after, limit: size + 1 });
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return { ...readRows(runEvents, page), ...(rows.length > size && last ? { next: placeIn(last) } : {}) };
    },
    close: () => batches.close(),
  };
}

/** Adds an event after the others of its epoch. The caller has locked the row of the run. */
export async function addLastEvent(
  sql: SqlRunner,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  event: Omit<NewRunEvent, 'n'>,
): Promise<void> {
  const [row] = await sql.all(
    `SELECT coalesce(max(n), 0) AS n FROM ${runEventsTable} WHERE run_id = $1 AND epoch = $2`,
    [runId, epoch],
  );
  await addRows(sql, runEventsTable, columns, [rowOf(runId, epoch, { ...event, n: numberIn(row ?? {}, 'n') + 1 })]);
}

/** Writes the events of the current owners and returns the problem of each append. */
async function write(
  sql: SqlRunner,
  lockRows: string,
  appends: readonly Append[],
): Promise<readonly (Error | undefined)[]> {
  // A claim of a run waits until these rows are written, so that the new owner sees them.
  const owners = await ownersOf(sql, lockRows, new Set(appends.map(({ runId }) => runId)));
  const problems = appends.map(({ runId, writer }) => problemOf({ ...writer, runId }, owners));
  const rows = appends.flatMap((append, index) => (problems[index] === undefined ? append.rows : []));
  for (let from = 0; from < rows.length; from += maxRowsOfStatement) {
    await addRows(sql, runEventsTable, columns, rows.slice(from, from + maxRowsOfStatement));
  }
  return problems;
}

function rowOf(runId: string, epoch: number, { n, at, type, data }: NewRunEvent): readonly SqlValue[] {
  if (!Number.isSafeInteger(n) || n < 1)
    throw invalid(`The number of an event must be an integer of at least 1, got ${n}`);
  return [runId, epoch, n, checkId(type, 'The type of an event'), jsonText({ at, data }, 'An event')];
}

function placeIn(row: SqlRow): RunEventId {
  return { epoch: numberIn(row, 'epoch'), n: numberIn(row, 'n') };
}
