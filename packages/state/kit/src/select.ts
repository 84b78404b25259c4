import type { Page, PageRequest } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { readRows } from './rows.ts';
import type { SqlRow, SqlRunner, SqlValue } from './database.ts';
import type { RowReader } from './rows.ts';

const defaultLimit = 100;
const maxLimit = 1_000;

/** Columns and their required values; `undefined` matches any value, `null` only NULL. */
export type ColumnFilter = Readonly<Record<string, SqlValue | undefined>>;

/** Further condition on rows. */
export interface Condition {
  readonly text: string;
}

/** Condition with a value: `text`, then the value, then `after`. */
export interface ValueCondition extends Condition {
  readonly value: SqlValue;
  readonly after?: string;
}

/** Reader of a list in pages. */
export interface PagedList<Item> extends RowReader<Item> {
  /** Column that numbers the rows. */
  readonly orderedBy: string;
  readonly newestFirst: boolean;
}

/** Returns one page of the matching rows. @throws KernelError `E_STATE_INVALID` for an invalid cursor */
export async function selectPage<Item>(
  sql: SqlRunner,
  list: PagedList<Item>,
  wanted: ColumnFilter,
  { limit, cursor }: PageRequest = {},
  more: readonly (Condition | ValueCondition)[] = [],
): Promise<Page<Item>> {
  const size = pageSize(limit);
  const { text, values } = conditions(wanted);
  const beyond = `${list.orderedBy} ${list.newestFirst ? '<' : '>'}`;
  const after = cursor === undefined ? [] : [{ text: beyond, value: positionOf(cursor) }];
  const others = [...more, ...after].map((condition: Condition | ValueCondition) =>
    'value' in condition
      ? `${condition.text} $${values.push(condition.value)}${condition.after ?? ''}`
      : condition.text,
  );
  const rows = await sql.all(
    `SELECT * FROM ${list.table} ${where([...text, ...others])} ` +
      `ORDER BY ${list.orderedBy} ${list.newestFirst ? 'DESC' : 'ASC'} LIMIT $${values.push(size + 1)}`,
    values,
  );
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return { ...readRows(list, page), ...(rows.length > size && last ? { next: String(last[list.orderedBy]) } : {}) };
}

/** Returns the matching row. `locking` is a suffix of the dialect that locks it. */
export async function selectRow(
  sql: SqlRunner,
  table: string,
  wanted: ColumnFilter,
  locking = '',
): Promise<SqlRow | undefined> {
  const { text, values } = conditions(wanted);
  const [row] = await sql.all(`SELECT * FROM ${table} ${where(text)} LIMIT 1${locking}`, values);
  return row;
}

/** Returns the page size for a requested limit. */
export function pageSize(limit: number = defaultLimit): number {
  if (!Number.isSafeInteger(limit) || limit < 1) throw invalid(`A limit must be a positive integer, got ${limit}`);
  return Math.min(limit, maxLimit);
}

/** Inserts a row. Returns `false` if its key is already taken. */
export async function insertRow(
  sql: SqlRunner,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
): Promise<boolean> {
  const added = await insertRows(sql, table, Object.keys(row), [Object.values(row)]);
  return added.length > 0;
}

/** Inserts the rows whose keys are free and returns them. */
export function insertRows(
  sql: SqlRunner,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<readonly SqlRow[]> {
  return sql.all(`${insertion(table, columns, rows.length)} RETURNING *`, rows.flat());
}

/** Inserts the rows whose keys are free. */
export async function addRows(
  sql: SqlRunner,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  await sql.all(insertion(table, columns, rows.length), rows.flat());
}

function insertion(table: string, columns: readonly string[], rows: number): string {
  let parameter = 0;
  const row = (): string => `(${columns.map(() => `$${++parameter}`).join(', ')})`;
  const places = Array.from({ length: rows }, row).join(', ');
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places} ON CONFLICT DO NOTHING`;
}

function conditions(wanted: ColumnFilter): { readonly text: readonly string[]; readonly values: SqlValue[] } {
  const values: SqlValue[] = [];
  const text = Object.entries(wanted).flatMap(([column, value]) => {
    if (value === undefined) return [];
    return value === null ? [`${column} IS NULL`] : [`${column} = $${values.push(value)}`];
  });
  return { text, values };
}

function where(text: readonly string[]): string {
  return text.length === 0 ? '' : `WHERE ${text.join(' AND ')}`;
}

/** Returns the position that a cursor names. @throws KernelError `E_STATE_INVALID` */
export function positionOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw invalid(`"${cursor.slice(0, 64)}" is not a valid cursor`);
}
