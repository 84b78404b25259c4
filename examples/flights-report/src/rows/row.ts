import { nearNames } from '@ravi/support';
import type { JsonValue } from '@ravi/kernel';

/** One record of a table. */
export type Row = Readonly<Record<string, JsonValue>>;

/** The value in a column; a dotted name reaches into nested objects, `properties.mag`. `undefined` when it is not there. */
export function valueAt(row: Row, column: string): JsonValue | undefined {
  if (Object.hasOwn(row, column)) return row[column];
  let value: JsonValue | undefined = row;
  for (const key of column.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Row)[key];
  }
  return value;
}

/** The columns of a row, those of nested objects by their dotted names. */
export function columnsOf(row: Row, prefix = ''): readonly string[] {
  return Object.entries(row).flatMap(([key, value]) =>
    isRow(value) ? columnsOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

/** Refuses a column that the table does not have. @throws Error with the columns it does have */
export function requireColumns(wanted: readonly string[], row: Row): void {
  const known = columnsOf(row);
  for (const column of wanted) {
    if (valueAt(row, column) !== undefined) continue;
    const near = nearNames(column, known)[0];
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    throw new Error(`There is no column "${column}".${hint} The columns are ${known.join(', ')}.`);
  }
}

function isRow(value: JsonValue): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
