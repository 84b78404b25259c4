import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { RunEventId } from '@ravi/kernel';
import { numberIn, textIn } from './rows.ts';
import { insertRow } from './select.ts';
import type { SqlRow, SqlRunner } from './database.ts';

/** Table of packed rows. Its column `run_id` has the owner of the rows. */
export const packedTable = 'ravi_packed_rows';

/** Table whose rows can be packed: those of one owner are ordered by `key`, and never change. */
export interface PackableTable {
  readonly table: string;
  /** Columns that say whose a row is. */
  readonly owner: readonly string[];
  /** Column or columns of whole numbers that order the rows. */
  readonly key: readonly ['sequence'] | readonly ['number'] | readonly ['epoch', 'n'];
  /** All columns except those of the owner. */
  readonly columns: readonly string[];
}

/** Values of the owner columns of a table. */
export type Owner = readonly string[];

/** Part of the rows of an owner. */
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
 * Replaces the oldest rows of an owner, at most 1 000, by one compressed row. Returns the packed rows, none if there are fewer than
 * `minRows`. The caller runs it in a transaction of its own, and only for rows that will not change.
 */
export async function packOldest(
  sql: SqlRunner,
  source: PackableTable,
  owner: Owner,
  minRows = 1,
): Promise<readonly SqlRow[]> {
  const { table, columns } = source;
  const key = source.key.join(', ');
  const sizes = await sql.all(
    `SELECT ${key}, length(record) AS size FROM ${table} WHERE ${isOf(source)} ORDER BY ${key} LIMIT ${maxRows}`,
    owner,
  );
  const last = sizes[countThatFits(sizes) - 1];
  if (last === undefined || sizes.length < minRows) return [];
  const place = placeOf(source, last);
  const upTo = `${isOf(source)} AND ${keyIs(source, '<=')}`;
  const values = [...owner, ...keyValues(source, place)];
  const rows = await sql.all(`SELECT * FROM ${table} WHERE ${upTo} ORDER BY ${key}`, values);
  const text = JSON.stringify(rows.map((row) => columns.map((column) => row[column])));
  const record = (await compress(text)).toString('base64');
  const pack = { run_id: packOwner(owner), source: table, last_epoch: place.epoch, last_n: place.n, record };
  if (!(await insertRow(sql, packedTable, pack))) throw new TypeError(`The rows of ${pack.run_id} are packed already`);
  await sql.all(`DELETE FROM ${table} WHERE ${upTo}`, values);
  return rows;
}

/**
 * Returns the rows of an owner in the order of their key, packed or not. A packed row that is damaged is returned as one row with
 * an unreadable record.
 */
export async function rowsOf(
  sql: SqlRunner,
  source: PackableTable,
  owner: Owner,
  { after = { epoch: 0, n: 0 }, limit }: RowRange = {},
): Promise<readonly SqlRow[]> {
  const atMost = limit === undefined ? '' : `LIMIT ${limit}`;
  // Before the packed ones: rows that are packed in between are then found twice, not missed.
  const loose = await sql.all(
    `SELECT * FROM ${source.table} WHERE ${isOf(source)} AND ${keyIs(source, '>')} ORDER BY ${source.key.join(', ')} ${atMost}`,
    [...owner, ...keyValues(source, after)],
  );
  const packs = await sql.all(
    `SELECT * FROM ${packedTable} WHERE run_id = $1 AND source = $2 AND (${ordered}) > ($3, $4) ORDER BY ${ordered} ${atMost}`,
    [packOwner(owner), source.table, after.epoch, after.n],
  );
  const found: SqlRow[] = [];
  let last = after;
  for (const pack of packs) {
    if (limit !== undefined && found.length >= limit) break;
    for (const row of await unpack(source, owner, pack)) if (isAfter(placeOf(source, row), after)) found.push(row);
    last = { epoch: numberIn(pack, 'last_epoch'), n: numberIn(pack, 'last_n') };
  }
  const all = [...found, ...loose.filter((row) => isAfter(placeOf(source, row), last))];
  return limit === undefined ? all : all.slice(0, limit);
}

/** Returns the owner in the table of packed rows. */
export function packOwner(owner: Owner): string {
  const [only = ''] = owner;
  return owner.length === 1 ? only : JSON.stringify(owner);
}

async function unpack(source: PackableTable, owner: Owner, pack: SqlRow): Promise<readonly SqlRow[]> {
  const owned = Object.fromEntries(source.owner.map((column, index) => [column, owner[index]]));
  try {
    const text = await expand(Buffer.from(textIn(pack, 'record'), 'base64'));
    const rows = JSON.parse(text.toString()) as readonly (readonly unknown[])[];
    return rows.map((values) => ({
      ...owned,
      ...Object.fromEntries(source.columns.map((name, index) => [name, values[index]])),
    }));
  } catch {
    const [first, second] = source.key;
    const place =
      second === undefined ? { [first]: pack['last_n'] } : { [first]: pack['last_epoch'], [second]: pack['last_n'] };
    return [{ ...owned, ...place, slot: 'packed', type: 'packed', record: 'damaged' }];
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

function placeOf({ key: [first, second] }: PackableTable, row: SqlRow): RunEventId {
  return second === undefined
    ? { epoch: 0, n: numberIn(row, first) }
    : { epoch: numberIn(row, first), n: numberIn(row, second) };
}

/** Condition for the rows of an owner, whose values are the first parameters. */
function isOf({ owner }: PackableTable): string {
  return owner.map((column, index) => `${column} = $${index + 1}`).join(' AND ');
}

/** Condition on the key, whose values are the parameters after those of the owner. */
function keyIs({ key, owner }: PackableTable, comparison: '>' | '<='): string {
  const places = key.map((_, index) => `$${owner.length + index + 1}`);
  return `(${key.join(', ')}) ${comparison} (${places.join(', ')})`;
}

function keyValues({ key }: PackableTable, { epoch, n }: RunEventId): readonly number[] {
  return key.length === 1 ? [n] : [epoch, n];
}

function isAfter(place: RunEventId, other: RunEventId): boolean {
  return place.epoch > other.epoch || (place.epoch === other.epoch && place.n > other.n);
}
