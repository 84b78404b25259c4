import type { HistoryStore, NewHistoryEntry, HistoryEntry } from '@ravi/kernel';
import { conflict, invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { numberIn, objectIn } from './rows.ts';
import { checkWriter } from './run-rows.ts';
import { insertRow, selectPage } from './select.ts';
import type { Database } from './database.ts';
import type { PagedList } from './select.ts';

const entries: PagedList<HistoryEntry> = {
  table: 'ravi_turns',
  orderedBy: 'number',
  newestFirst: false,
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
          const [row] = await sql.all(
            `SELECT coalesce(max(number), 0) AS length FROM ${entries.table} WHERE principal_key = $1 AND session_id = $2`,
            [principal_key, session_id],
          );
          const length = numberIn(row ?? {}, 'length');
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
    read: (principal, sessionId, page) =>
      selectPage(database, entries, { principal_key: principalKey(principal), session_id: sessionId }, page),
  };
}
