import type { JsonValue, StoredValue, ValuePlace, ValueStore } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { numberIn, readRow, textIn } from './rows.ts';
import { insertRows, selectRow } from './select.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';
import type { RowReader } from './rows.ts';

const table = 'ravi_values';
const areaPattern = /^[a-z0-9-]{1,64}$/;
const maxKeyLength = 500;
const maxBytes = 1024 * 1024;
const key = 'area = $1 AND principal_key = $2 AND value_key = $3';

const values: RowReader<StoredValue> = {
  table,
  key: (row) => `${String(row['area'])} ${String(row['value_key'])}`,
  decode: (row) => ({
    key: textIn(row, 'value_key'),
    value: JSON.parse(textIn(row, 'value')) as JsonValue,
    revision: numberIn(row, 'sequence'),
  }),
};

/**
 * Creates a store of values in a table. A change replaces the row, so a revision is a number that the database never uses again, and
 * a value that was removed and stored again does not have the revision of the earlier one.
 */
export function createValueStore(database: Database): ValueStore {
  return {
    async get({ area, principal, key: value_key }) {
      const row = await selectRow(database, table, { area, principal_key: principalKey(principal), value_key });
      return row && readRow(values, row);
    },

    async put(place, value, { ifRevision } = {}) {
      const columns = columnsOf(place);
      const text = valueText(value, place.key);
      return database.transaction(
        async (sql) => {
          const isFree = await makeRoom(sql, columns, ifRevision);
          if (!isFree) return undefined;
          const names = ['area', 'principal_key', 'value_key', 'value'];
          const [row] = await insertRows(sql, table, names, [[...columns, text]]);
          return row === undefined ? undefined : numberIn(row, 'sequence');
        },
        { lock: `value ${columns.join(' ')}` },
      );
    },

    async delete({ area, principal, key: value_key }, { ifRevision } = {}) {
      const columns = [area, principalKey(principal), value_key];
      return (await remove(database, columns, ifRevision)).length > 0;
    },

    async list({ area, principal }) {
      const query = `SELECT * FROM ${table} WHERE area = $1 AND principal_key = $2 ORDER BY value_key`;
      const rows = await database.all(query, [area, principalKey(principal)]);
      return rows.map((row) => readRow(values, row));
    },
  };
}

/** Removes the value that is replaced. Returns `false` if it is not the expected one. */
async function makeRoom(sql: SqlRunner, columns: readonly string[], ifRevision: number | undefined): Promise<boolean> {
  // The insertion that follows adds no row if there is a value.
  if (ifRevision === 0) return true;
  const removed = await remove(sql, columns, ifRevision);
  return ifRevision === undefined || removed.length > 0;
}

function remove(
  sql: SqlRunner,
  columns: readonly string[],
  ifRevision: number | undefined,
): Promise<readonly SqlRow[]> {
  return ifRevision === undefined
    ? sql.all(`DELETE FROM ${table} WHERE ${key} RETURNING sequence`, columns)
    : sql.all(`DELETE FROM ${table} WHERE ${key} AND sequence = $4 RETURNING sequence`, [...columns, ifRevision]);
}

function columnsOf({ area, principal, key: valueKey }: ValuePlace): readonly string[] {
  if (!areaPattern.test(area)) {
    const named = JSON.stringify(area.slice(0, 80));
    throw invalid(`The area of a value must be 1 to 64 lower-case letters, digits and hyphens, got ${named}`);
  }
  return [area, principalKey(principal), checkId(valueKey, 'The key of a value', maxKeyLength)];
}

function valueText(value: JsonValue, valueKey: string): string {
  const text = jsonText(value, `The value "${valueKey}"`);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw invalid(`The value "${valueKey}" has ${bytes} bytes of JSON; the maximum is ${maxBytes}`);
  }
  return text;
}
