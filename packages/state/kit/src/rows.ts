import type { KernelError, Listing } from '@ravi/kernel';
import { corrupt } from './errors.ts';
import type { SqlRow } from './database.ts';

/** How the rows of one table are read. */
export interface RowReader<Item> {
  readonly table: string;
  /** The row's key, for people. */
  key(row: SqlRow): string;
  /** @throws anything, when the row is damaged */
  decode(row: SqlRow): Item;
}

/** The row as an item. @throws KernelError `E_STATE_CORRUPT` */
export function readRow<Item>(reader: RowReader<Item>, row: SqlRow): Item {
  try {
    return reader.decode(row);
  } catch (error) {
    throw corrupt(reader.table, reader.key(row), error instanceof Error ? error.message : String(error), error);
  }
}

/** The rows as items, damaged ones apart. */
export function readRows<Item>(reader: RowReader<Item>, rows: readonly SqlRow[]): Listing<Item> {
  const items: Item[] = [];
  const damaged: KernelError[] = [];
  for (const row of rows) {
    try {
      items.push(readRow(reader, row));
    } catch (error) {
      damaged.push(error as KernelError);
    }
  }
  return { items, corrupt: damaged };
}

/** The text of a column. */
export function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`${column} is no text`);
  return value;
}

/** The whole number of a column. */
export function numberIn(row: SqlRow, column: string): number {
  const value = row[column];
  if (!Number.isSafeInteger(value)) throw new TypeError(`${column} is no whole number`);
  return value as number;
}

/** The text of a column, when it is one of the given. */
export function choiceIn<Choice extends string>(row: SqlRow, column: string, choices: readonly Choice[]): Choice {
  const value = textIn(row, column);
  if ((choices as readonly string[]).includes(value)) return value as Choice;
  throw new TypeError(`${column} is ${JSON.stringify(value.slice(0, 64))}`);
}

/** The object in a JSON column, with at least the given fields. */
export function objectIn<Shape extends object>(
  row: SqlRow,
  column: string,
  fields: readonly (keyof Shape & string)[],
): Shape {
  const value: unknown = JSON.parse(textIn(row, column));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${column} is no object`);
  const missing = fields.find((field) => !Object.hasOwn(value, field));
  if (missing !== undefined) throw new TypeError(`${column} has no "${missing}"`);
  return value as Shape;
}

/** {@link objectIn} of a column that may be `NULL`. */
export function optionalObjectIn<Shape extends object>(
  row: SqlRow,
  column: string,
  fields: readonly (keyof Shape & string)[],
): Shape | undefined {
  return row[column] === null ? undefined : objectIn<Shape>(row, column, fields);
}
