import type { JsonObject, JsonValue } from '@ravi/kernel';
import { jsonLine } from '../ui/format.ts';

/** Cells as text under the names of their columns. */
export interface TextTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const maxColumns = 40;

/** A list of objects, bare or as the only long list of an object, as a table; `undefined` when the value is none. */
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
