import type { HistoryStore, NewHistoryEntry, HistoryEntry } from '@ravi/kernel';
import { conflict, invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { packOwner, packedTable, rowsOf } from './packed-rows.ts';
import { numberIn, objectIn, readRows } from './rows.ts';
import { checkWriter } from './run-rows.ts';
import { insertRow, pageSize, positionOf } from './select.ts';
import type { Database, SqlRunner } from './database.ts';
import type { Owner, PackableTable } from './packed-rows.ts';
import type { RowReader } from './rows.ts';

/** Messages of conversations as a table whose rows can be packed. */
export const packableTurns: PackableTable = {
  table: 'ravi_turns',
  owner: ['principal_key', 'session_id'],
  key: ['number'],
  columns: ['number', 'record'],
};

const entries: RowReader<HistoryEntry> = {
  table: packableTurns.table,
  key: (row) => `${String(row['session_id'])} ${String(row['number'])}`,
  decode: (row) => ({
    ...objectIn<NewHistoryEntry>(row, 'record', ['principal', 'sessionId', 'message', 'createdAt']),
    number: numberIn(row, 'number'),
  }),
};

/** Creates a store of conversations. */
export function createHistoryStore(database: Database): HistoryStore {
  return {
    async append(added, expectedLength, writer) {
      const [first] = added;
      if (first === undefined) return [];
      const principal_key = principalKey(first.principal);
      const session_id = checkId(first.sessionId, 'The session of an entry');
      if (added.some((entry) => entry.principal !== first.principal || entry.sessionId !== session_id)) {
        throw invalid('Entries appended together must belong to one session of one principal');
      }
      const records = added.map((entry) => jsonText(entry, 'An entry'));
      const before = await database.transaction(
        async (sql) => {
          await checkWriter(sql, database.dialect.lockRows, writer);
          const length = await lengthOf(sql, [principal_key, session_id]);
          if (expectedLength !== undefined && length !== expectedLength) {
            throw conflict(`Session "${session_id}" has ${length} entries, not ${expectedLength}`);
          }
          for (const [index, record] of records.entries()) {
            await insertRow(sql, entries.table, { principal_key, session_id, number: length + index + 1, record });
          }
          return length;
        },
        { lock: `history ${principal_key} ${session_id}` },
      );
      return records.map((record, index) => ({
        ...(JSON.parse(record) as NewHistoryEntry),
        number: before + index + 1,
      }));
    },
    async read(principal, sessionId, { limit, cursor } = {}) {
      const size = pageSize(limit);
      const after = { epoch: 0, n: cursor === undefined ? 0 : positionOf(cursor) };
      const owner = [principalKey(principal), sessionId];
      const rows = await rowsOf(database, packableTurns, owner, { after, limit: size + 1 });
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return { ...readRows(entries, page), ...(rows.length > size && last ? { next: String(last['number']) } : {}) };
    },
  };
}

async function lengthOf(sql: SqlRunner, owner: Owner): Promise<number> {
  // In one statement, because rows may be packed at any time.
  const [row = {}] = await sql.all(
    `SELECT
       (SELECT coalesce(max(number), 0) FROM ${entries.table} WHERE principal_key = $1 AND session_id = $2) AS loose,
       (SELECT coalesce(max(last_n), 0) FROM ${packedTable} WHERE run_id = $3 AND source = $4 AND last_epoch = 0) AS packed`,
    [...owner, packOwner(owner), entries.table],
  );
  return Math.max(numberIn(row, 'loose'), numberIn(row, 'packed'));
}
