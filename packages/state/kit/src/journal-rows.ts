import type {
  InvocationResult,
  JournalEntry,
  JournalEvent,
  JournalItem,
  JournaledCall,
  Listing,
  RunWriter,
} from '@ravi/kernel';
import { invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId } from './keys.ts';
import type { PackableTable } from './packed-rows.ts';
import { numberIn, objectIn, readRows } from './rows.ts';
import type { SqlRow, SqlValue } from './database.ts';
import type { RowReader } from './rows.ts';

/** Columns of an inserted journal row, in the order of {@link valuesOf}. */
export const journalColumns: readonly string[] = ['run_id', 'slot', 'attempt', 'phase', 'record'];

/** Journal as a table whose rows can be packed. */
export const packableJournal: PackableTable = {
  table: 'ravi_journal',
  owner: ['run_id'],
  key: ['sequence'],
  columns: ['sequence', ...journalColumns.filter((name) => name !== 'run_id')],
};

const maxKeyLength = 1_000;
const startPhase = 0;
const endPhase = 1;

/** Row to insert into the journal. */
export interface JournalRow {
  readonly runId: string;
  /** Position of the row in its run. */
  readonly slot: string;
  readonly attempt: number;
  /** 0 for the start of a call and for events, 1 for the end of a call. */
  readonly phase: number;
  readonly record: string;
  readonly writer: RunWriter | undefined;
  /** True if a call runs once this row is on disk. */
  readonly isStart: boolean;
  /** True for a row that a replay reads. */
  readonly hasPosition: boolean;
}

type StoredEntry = JournaledCall['entry'];

type StoredRecord =
  | { readonly type: 'started'; readonly entry: StoredEntry }
  | { readonly type: 'finished'; readonly entry: StoredEntry; readonly result: InvocationResult }
  | { readonly type: 'event'; readonly event: Omit<JournalEvent, 'writer'> };

interface ReadRow {
  readonly slot: string;
  readonly sequence: number;
  readonly record: StoredRecord;
}

/** Returns the row for the start of a call. */
export function startedRow(entry: JournalEntry): JournalRow {
  return rowOf(entry, startPhase, { type: 'started', entry: storedEntry(entry) }, true);
}

/** Returns the row for the end of a call. */
export function finishedRow(entry: JournalEntry, result: InvocationResult): JournalRow {
  return rowOf(entry, endPhase, { type: 'finished', entry: storedEntry(entry), result }, false);
}

/** Returns the row of an event. */
export function eventRow({ writer, ...event }: JournalEvent): JournalRow {
  const place = { runId: event.runId, position: event.position, ...(writer === undefined ? {} : { writer }) };
  return rowOf({ ...place, idempotencyKey: '-' }, startPhase, { type: 'event', event }, false);
}

/** Returns the values of a row in the order of {@link journalColumns}. */
export function valuesOf({ runId, slot, attempt, phase, record }: JournalRow): readonly SqlValue[] {
  return [runId, slot, attempt, phase, record];
}

/** Returns a key of the attempt and phase of a row. */
export function identityOf(row: Pick<JournalRow, 'runId' | 'slot' | 'attempt' | 'phase'>): string {
  return JSON.stringify([row.runId, row.slot, row.attempt, row.phase]);
}

/** Returns {@link identityOf} for a row from the database. */
export function identityIn(row: SqlRow): string {
  return JSON.stringify([row['run_id'], row['slot'], row['attempt'], row['phase']]);
}

/** Converts the rows of a run, in the order of insertion, to its calls and events, ordered by position. */
export function itemsOfRows(rows: readonly SqlRow[]): Listing<JournalItem> {
  const { items, corrupt } = readRows(reader, rows);
  const bySlot = new Map<string, JournalItem>();
  for (const row of items) bySlot.set(row.slot, merged(bySlot.get(row.slot), row));
  const inOrder = [...bySlot.values()].toSorted((left, right) => placeOf(left) - placeOf(right));
  return { items: inOrder, corrupt };
}

const reader: RowReader<ReadRow> = {
  table: 'ravi_journal',
  key: (row) => `${String(row['run_id'])} ${String(row['slot'])}`,
  decode(row) {
    const record = objectIn<StoredRecord>(row, 'record', ['type']);
    const inner = record.type === 'event' ? 'event' : 'entry';
    if (!Object.hasOwn(record, inner)) throw new TypeError(`record has no "${inner}"`);
    if (record.type === 'finished' && !Object.hasOwn(record, 'result')) throw new TypeError('record has no "result"');
    return { slot: String(row['slot']), sequence: numberIn(row, 'sequence'), record };
  },
};

// A later attempt wins; within one attempt the outcome wins, regardless of which row was written first.
function merged(known: JournalItem | undefined, { record, sequence }: ReadRow): JournalItem {
  if (record.type === 'event') return { type: 'event', event: record.event, finishedOrder: sequence };
  const { entry } = record;
  if (known?.type === 'call' && isOutdated(entry.attempt, record.type, known)) return known;
  if (record.type === 'started') return { type: 'call', status: 'started', entry };
  return { type: 'call', status: 'finished', entry, result: record.result, finishedOrder: sequence };
}

function isOutdated(attempt: number, type: 'started' | 'finished', known: JournaledCall): boolean {
  if (attempt !== known.entry.attempt) return attempt < known.entry.attempt;
  return type === 'started' && known.status === 'finished';
}

function placeOf(item: JournalItem): number {
  return (item.type === 'event' ? item.event.position : item.entry.position) ?? Infinity;
}

function rowOf(
  entry: Pick<JournalEntry, 'runId' | 'idempotencyKey' | 'position' | 'attempt' | 'writer'>,
  phase: number,
  record: StoredRecord,
  isStart: boolean,
): JournalRow {
  const { position, attempt = 1 } = entry;
  checkWhole(position ?? 0, 0, 'The position of a call');
  checkWhole(attempt, 1, 'The attempt of a call');
  const key = checkId(entry.idempotencyKey, 'The idempotency key of a call', maxKeyLength);
  return {
    runId: checkId(entry.runId, 'The run of a call'),
    slot: position === undefined ? `key ${key}` : `position ${position}`,
    attempt,
    phase,
    record: jsonText(record, 'A call in the journal'),
    writer: entry.writer,
    isStart,
    hasPosition: position !== undefined,
  };
}

// The writer is not part of the call.
function storedEntry({ writer: _writer, attempt = 1, ...entry }: JournalEntry): StoredEntry {
  return { ...entry, attempt };
}

function checkWhole(value: number, minimum: number, what: string): void {
  if (Number.isSafeInteger(value) && value >= minimum) return;
  throw invalid(`${what} must be an integer of at least ${minimum}, got ${value}`);
}
