import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { RunEventId } from '@ravi/kernel';
import { numberIn, textIn } from './rows.ts';
import { insertRow } from './select.ts';
import type { SqlRow, SqlRunner, SqlValue } from './database.ts';

/** Table of the packed rows of ended runs. */
export const packedTable = 'ravi_packed_rows';

/** Table whose rows of one run can be packed: ordered by `key`, and never changed after the run has ended. */
export interface PackableTable {
  readonly table: string;
  /** Column or columns of whole numbers that order the rows. */
  readonly key: readonly ['sequence'] | readonly ['epoch', 'n'];
  /** All columns except `run_id`. */
  readonly columns: readonly string[];
}

/** Part of the rows of a run. */
export interface RowRange {
  readonly after?: RunEventId;
  readonly limit?: number;
}

const maxRows = 1_000;
const maxCharacters = 2 * 1024 * 1024;
const compress = promisify(deflateRaw);
const expand = promisify(inflateRaw);
const ordered = 'last_epoch, last_n';

/**
 * Replaces the oldest rows of a run, at most 1 000, by one compressed row. Returns false if there are none. The caller runs it
 * in a transaction of its own, and only for a run that has ended.
 */
export async function packOldest(sql: SqlRunner, source: PackableTable, runId: string): Promise<boolean> {
  const { table, columns } = source;
  const key = source.key.join(', ');
  const sizes = await sql.all(
    `SELECT ${key}, length(record) AS size FROM ${table} WHERE run_id = $1 ORDER BY ${key} LIMIT ${maxRows}`,
    [runId],
  );
  const last = sizes[countThatFits(sizes) - 1];
  if (last === undefined) return false;
  const { epoch, n } = placeOf(source, last);
  const upTo = source.key.length === 1 ? 'sequence <= $2' : '(epoch, n) <= ($2, $3)';
  const values: readonly SqlValue[] = source.key.length === 1 ? [runId, n] : [runId, epoch, n];
  const rows = await sql.all(`SELECT * FROM ${table} WHERE run_id = $1 AND ${upTo} ORDER BY ${key}`, values);
  const text = JSON.stringify(rows.map((row) => columns.map((column) => row[column])));
  const record = (await compress(text)).toString('base64');
  await insertRow(sql, packedTable, { run_id: runId, source: table, last_epoch: epoch, last_n: n, record });
  await sql.all(`DELETE FROM ${table} WHERE run_id = $1 AND ${upTo}`, values);
  return true;
}

/**
 * Returns the rows of a run in the order of their key, packed or not. A packed row that is damaged is returned as one row with
 * an unreadable record.
 */
export async function rowsOfRun(
  sql: SqlRunner,
  source: PackableTable,
  runId: string,
  { after = { epoch: 0, n: 0 }, limit }: RowRange = {},
): Promise<readonly SqlRow[]> {
  const key = source.key.join(', ');
  const atMost = (rows: number): string => (limit === undefined ? '' : `LIMIT ${rows}`);
  const from = source.key.length === 1 ? 'sequence > $2' : '(epoch, n) > ($2, $3)';
  const values: readonly SqlValue[] = source.key.length === 1 ? [runId, after.n] : [runId, after.epoch, after.n];
  // Before the packed ones: rows that are packed in between are then found twice, not missed.
  const loose = await sql.all(
    `SELECT * FROM ${source.table} WHERE run_id = $1 AND ${from} ORDER BY ${key} ${atMost(limit ?? 0)}`,
    values,
  );
  const packs = await sql.all(
    `SELECT * FROM ${packedTable} WHERE run_id = $1 AND source = $2 AND (${ordered}) > ($3, $4)
     ORDER BY ${ordered} ${atMost(limit ?? 0)}`,
    [runId, source.table, after.epoch, after.n],
  );
  const found: SqlRow[] = [];
  let last = after;
  for (const pack of packs) {
    if (limit !== undefined && found.length >= limit) break;
    for (const row of await unpack(source, pack)) if (isAfter(placeOf(source, row), after)) found.push(row);
    last = { epoch: numberIn(pack, 'last_epoch'), n: numberIn(pack, 'last_n') };
  }
  const all = [...found, ...loose.filter((row) => isAfter(placeOf(source, row), last))];
  return limit === undefined ? all : all.slice(0, limit);
}

async function unpack({ columns, key }: PackableTable, pack: SqlRow): Promise<readonly SqlRow[]> {
  const run_id = textIn(pack, 'run_id');
  try {
    const text = await expand(Buffer.from(textIn(pack, 'record'), 'base64'));
    const rows = JSON.parse(text.toString()) as readonly (readonly unknown[])[];
    return rows.map((values) => ({
      run_id,
      ...Object.fromEntries(columns.map((name, index) => [name, values[index]])),
    }));
  } catch {
    const place = key.length === 1 ? { sequence: pack['last_n'] } : { epoch: pack['last_epoch'], n: pack['last_n'] };
    return [{ run_id, ...place, slot: 'packed', type: 'packed', record: 'damaged' }];
  }
}

function countThatFits(sizes: readonly SqlRow[]): number {
  let total = 0;
  for (const [index, row] of sizes.entries()) {
    total += numberIn(row, 'size');
    if (index > 0 && total > maxCharacters) return index;
  }
  return sizes.length;
}

function placeOf({ key }: PackableTable, row: SqlRow): RunEventId {
  return key.length === 1
    ? { epoch: 0, n: numberIn(row, 'sequence') }
    : { epoch: numberIn(row, 'epoch'), n: numberIn(row, 'n') };
}

function isAfter(place: RunEventId, other: RunEventId): boolean {
  return place.epoch > other.epoch || (place.epoch === other.epoch && place.n > other.n);
}
