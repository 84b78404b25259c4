import type { JsonValue, RequestStore, StoredRequest } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { selectRow } from './select.ts';
import { textIn } from './rows.ts';
import type { Database, SqlRow } from './database.ts';

const table = 'ravi_requests';
const keptMs = 172_800_000;
// Fingerprint of a key that any request may have.
const released = '';

/** Creates a store of keyed requests in a table. */
export function createRequestStore(database: Database): RequestStore {
  const where = 'WHERE principal_key = $1 AND request_key = $2';

  return {
    async begin({ principal, key, fingerprint, runId, now }) {
      const place = { principal_key: principalKey(principal), request_key: checkId(key, 'The key of a request') };
      return database.transaction(async (sql) => {
        await sql.all(`DELETE FROM ${table} ${where} AND created_at < $3`, [
          place.principal_key,
          place.request_key,
          now - keptMs,
        ]);
        const [added] = await sql.all(
          `INSERT INTO ${table} (principal_key, request_key, fingerprint, run_id, created_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (principal_key, request_key) DO UPDATE
             SET fingerprint = EXCLUDED.fingerprint, created_at = EXCLUDED.created_at, response = NULL
             WHERE ${table}.fingerprint = '${released}' RETURNING run_id`,
          [place.principal_key, place.request_key, fingerprint, runId, now],
        );
        if (added !== undefined) return { isNew: true, request: { fingerprint, runId: textIn(added, 'run_id') } };
        const known = await selectRow(sql, table, place);
        return { isNew: false, request: requestOf(known ?? {}) };
      });
    },

    async finish({ principal, key }, response) {
      const text = jsonText(response, 'The response of a request');
      await database.all(`UPDATE ${table} SET response = $3 ${where}`, [principalKey(principal), key, text]);
    },

    async forget({ principal, key }) {
      const query = `UPDATE ${table} SET fingerprint = '${released}' ${where} AND response IS NULL`;
      await database.all(query, [principalKey(principal), key]);
    },

    async removeOld(now) {
      const query = `DELETE FROM ${table} WHERE created_at < $1 RETURNING run_id`;
      return (await database.all(query, [now - keptMs])).length;
    },
  };
}

function requestOf(row: SqlRow): StoredRequest {
  const { response } = row;
  const request = { fingerprint: textIn(row, 'fingerprint'), runId: textIn(row, 'run_id') };
  return typeof response === 'string' ? { ...request, response: JSON.parse(response) as JsonValue } : request;
}
