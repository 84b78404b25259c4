import type { InvocationResult, JournalEntry, JournalEvent, JournalItem, JournaledCall, Listing } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId } from './keys.ts';
import { numberIn, objectIn, readRows } from './rows.ts';
import type { SqlRow, SqlValue } from './database.ts';
import type { RowReader } from './rows.ts';

/** The columns that a journal row is written with, in the order of {@link JournalRow}'s `values`. */
export const journalColumns: readonly string[] = ['run_id', 'slot', 'attempt', 'phase', 'record'];

const maxKeyLength = 1_000;
const beginning = 0;
const end = 1;

/** One row on its way into the journal. */
export interface JournalRow {
  readonly runId: string;
  /** The place in the run that the row takes. */
  readonly slot: string;
  readonly attempt: number;
  /** 0 begins a call or is an event, 1 ends a call. */
  readonly phase: number;
  readonly record: string;
  readonly leaseOwner: string | undefined;
  /** Something runs once this is on the disk. */
  readonly isStart: boolean;
}

type StoredEntry = JournaledCall['entry'];

type StoredRecord =
  | { readonly type: 'started'; readonly entry: StoredEntry }
  | { readonly type: 'finished'; readonly entry: StoredEntry; readonly result: InvocationResult }
  | { readonly type: 'event'; readonly event: Omit<JournalEvent, 'leaseOwner'> };

interface ReadRow {
  readonly slot: string;
  readonly sequence: number;
  readonly record: StoredRecord;
}

/** The row that begins a call. */
export function startedRow(entry: JournalEntry): JournalRow {
  return rowOf(entry, beginning, { type: 'started', entry: storedEntry(entry) }, true);
}

/** The row that ends a call. */
export function finishedRow(entry: JournalEntry, result: InvocationResult): JournalRow {
  return rowOf(entry, end, { type: 'finished', entry: storedEntry(entry), result }, false);
}

/** The row of an event. */
export function eventRow({ leaseOwner, ...event }: JournalEvent): JournalRow {
  const place = { runId: event.runId, position: event.position, ...(leaseOwner === undefined ? {} : { leaseOwner }) };
  return rowOf({ ...place, idempotencyKey: '-' }, beginning, { type: 'event', event }, false);
}

/** The row's values, as {@link journalColumns} names them. */
export function valuesOf({ runId, slot, attempt, phase, record }: JournalRow): readonly SqlValue[] {
  return [runId, slot, attempt, phase, record];
}

/** A text that only the same attempt at the same place has. */
export function identityOf(row: Pick<JournalRow, 'runId' | 'slot' | 'attempt' | 'phase'>): string {
  return JSON.stringify([row.runId, row.slot, row.attempt, row.phase]);
}

/** {@link identityOf} of a row that the database gave back. */
export function identityIn(row: SqlRow): string {
  return JSON.stringify([row['run_id'], row['slot'], row['attempt'], row['phase']]);
}

/** The rows of a run, in the order in which they were written, as calls and events in their places. */
export function journalItems(rows: readonly SqlRow[]): Listing<JournalItem> {
  const { items, corrupt } = readRows(reader, rows);
  const bySlot = new Map<string, JournalItem>();
  for (const row of items) bySlot.set(row.slot, joined(bySlot.get(row.slot), row));
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

// Attempts come in their order; of two rows of one attempt the outcome counts, whichever was written first.
function joined(known: JournalItem | undefined, { record, sequence }: ReadRow): JournalItem {
  if (record.type === 'event') return { type: 'event', event: record.event, finishedOrder: sequence };
  const { entry } = record;
  if (known?.type === 'call' && isBehind(entry.attempt, record.type, known)) return known;
  if (record.type === 'started') return { type: 'call', status: 'started', entry };
  return { type: 'call', status: 'finished', entry, result: record.result, finishedOrder: sequence };
}

function isBehind(attempt: number, type: 'started' | 'finished', known: JournaledCall): boolean {
  if (attempt !== known.entry.attempt) return attempt < known.entry.attempt;
  return type === 'started' && known.status === 'finished';
}

function placeOf(item: JournalItem): number {
  return (item.type === 'event' ? item.event.position : item.entry.position) ?? Infinity;
}

function rowOf(
  entry: Pick<JournalEntry, 'runId' | 'idempotencyKey' | 'position' | 'attempt' | 'leaseOwner'>,
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
    leaseOwner: entry.leaseOwner,
    isStart,
  };
}

// Who held the lease says nothing about the call.
function storedEntry({ leaseOwner: _owner, attempt = 1, ...entry }: JournalEntry): StoredEntry {
  return { ...entry, attempt };
}

function checkWhole(value: number, minimum: number, what: string): void {
  if (Number.isSafeInteger(value) && value >= minimum) return;
  throw invalid(`${what} must be a whole number from ${minimum} on, got ${value}`);
}
