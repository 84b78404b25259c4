import type { JsonObject, JsonValue } from '@ravi/kernel';
import { jsonLine } from '../ui/format.ts';

/** Cells as text under the names of their columns. */
export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const maxColumns = 40;

/** A list of objects, bare or as the only long list of an object, as a table; `undefined` for other values. */
export function tableOf(value: JsonValue, maxRows: number): TextTable | undefined {
  const list = Array.isArray(value) ? value : listIn(value);
  if (list === undefined || list.length < 2 || !list.every(isObject)) return undefined;
  const shown = list.slice(0, maxRows);
  const columns = [...new Set(shown.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  return {
    columns,
    rows: shown.map((row) => columns.map((name) => (row[name] === undefined ? '' : jsonLine(row[name])))),
  };
}

function listIn(value: JsonValue): readonly JsonValue[] | undefined {
  if (!isObject(value)) return undefined;
  const lists = Object.values(value).filter((each) => Array.isArray(each));
  return lists.length === 1 ? lists[0] : undefined;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Rows of cells by RFC 4180, at most `maxRows`: cells in quotes may hold separators, line breaks and doubled quotes.
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function parseCsv(text: string, maxRows: number): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const cells = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/gy;
  let row: string[] = [];
  for (const [whole, cell = '', separator = ''] of text.matchAll(cells)) {
    const isEnd = whole === '' && row.length === 0;
    if (isEnd) break;
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (separator === ',') continue;
    rows.push(row);
    row = [];
    if (rows.length >= maxRows || separator === '') break;
  }
  return rows;
}
