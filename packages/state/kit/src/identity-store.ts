import type { IdentityStore, StateIdentity } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { objectIn } from './rows.ts';
import { insertRow, selectRow } from './select.ts';
import type { Database, SqlRunner } from './database.ts';

const table = 'ravi_identity';
const name = 'installation';

/** Creates a store of the one identity, in a table with one row. */
export function createIdentityStore(database: Database): IdentityStore {
  async function read(sql: SqlRunner): Promise<StateIdentity | undefined> {
    const row = await selectRow(sql, table, { name });
    return row && objectIn<StateIdentity>(row, 'record', ['id', 'keyCheck']);
  }

  return {
    get: () => read(database),
    set: (identity, { replace = false } = {}) =>
      database.transaction(
        async (sql) => {
          const record = jsonText(identity, 'An identity');
          if (replace) await sql.all(`DELETE FROM ${table} WHERE name = $1`, [name]);
          await insertRow(sql, table, { name, record });
          return (await read(sql)) ?? identity;
        },
        { lock: 'identity' },
      ),
  };
}
