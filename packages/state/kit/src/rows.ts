import type { KernelError, Listing } from '@ravi/kernel';
import { corrupt } from './errors.ts';
import type { SqlRow } from './database.ts';

/** Reader of the rows of one table. */
export interface RowReader<Item> {
  readonly table: string;
  /** Returns the key of a row for error messages. */
  key(row: SqlRow): string;
  /** Decodes a row. Throws any error if the row is damaged. */
  decode(row: SqlRow): Item;
}

/** Decodes a row. @throws KernelError `E_STATE_CORRUPT` */
export function readRow<Item>(reader: RowReader<Item>, row: SqlRow): Item {
  try {
    return reader.decode(row);
  } catch (error) {
    throw corrupt(reader.table, reader.key(row), error instanceof Error ? error.message : String(error), error);
  }
}

/** Decodes rows and lists damaged ones separately. */
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

/** Returns the text in a column. */
export function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`${column} is not text`);
  return value;
}

/** Returns the integer in a column. */
export function numberIn(row: SqlRow, column: string): number {
  const value = row[column];
  if (!Number.isSafeInteger(value)) throw new TypeError(`${column} is not an integer`);
  return value as number;
}

/** Returns the text in a column, which must be one of `choices`. */
export function choiceIn<Choice extends string>(row: SqlRow, column: string, choices: readonly Choice[]): Choice {
  const value = textIn(row, column);
  if ((choices as readonly string[]).includes(value)) return value as Choice;
  throw new TypeError(`${column} is ${JSON.stringify(value.slice(0, 64))}`);
}

/** Returns the object in a JSON column, which must have the given fields. */
export function objectIn<Shape extends object>(
  row: SqlRow,
  column: string,
  fields: readonly (keyof Shape & string)[],
): Shape {
  const value: unknown = JSON.parse(textIn(row, column));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${column} is not an object`);
  const missing = fields.find((field) => !Object.hasOwn(value, field));
  if (missing !== undefined) throw new TypeError(`${column} has no "${missing}"`);
  return value as Shape;
}

/** Applies {@link objectIn} to a column that may be `NULL`. */
export function optionalObjectIn<Shape extends object>(
  row: SqlRow,
  column: string,
  fields: readonly (keyof Shape & string)[],
): Shape | undefined {
  return row[column] === null ? undefined : objectIn<Shape>(row, column, fields);
}
