import type { SqlQuestion } from './sql-question.ts';

/** Rows as JSON, up to the limits. */
export interface RowCollector {
  readonly columns: readonly string[];
  readonly lines: readonly string[];
  /** Adds a row with its values in the order of the columns. Returns false if it does not fit any more. */
  add(values: readonly unknown[]): boolean;
}

/** Creates a collector of rows. Columns of the same name are numbered: `id`, `id_2`. */
export function collectRows(
  names: readonly string[],
  { maxRows, maxBytes }: Pick<SqlQuestion, 'maxRows' | 'maxBytes'>,
): RowCollector {
  const columns = distinct(names);
  const lines: string[] = [];
  let bytes = 0;
  return {
    columns,
    lines,
    add(values) {
      if (lines.length >= maxRows) return false;
      // `fromEntries` makes a property even of a column named __proto__.
      const line = JSON.stringify(Object.fromEntries(columns.map((column, index) => [column, jsonOf(values[index])])));
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > maxBytes) return false;
      lines.push(line);
      return true;
    },
  };
}

function distinct(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let column = name;
    for (let number = 2; used.has(column); number++) column = `${name}_${number}`;
    used.add(column);
    return column;
  });
}

/** Returns a value of a database as JSON: what has no number of its own stays text, and bytes are base64. */
function jsonOf(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  return value;
}
