import { KernelError, memoryLimits } from '@ravi/kernel';
import type { Memory, MemoryStore, NewMemory } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { numberIn, objectIn, readRow, readRows } from './rows.ts';
import { insertRow, pageSize, selectPage, selectRow } from './select.ts';
import { queryWordsOf, wordsOf } from './words.ts';
import type { Database, SqlRunner } from './database.ts';
import type { PagedList } from './select.ts';

const defaultResults = 10;

const memories: PagedList<Memory> = {
  table: 'ravi_memories',
  orderedBy: 'sequence',
  newestFirst: true,
  key: (row) => String(row['id']),
  decode: (row) => ({
    ...objectIn<NewMemory>(row, 'record', ['id', 'principal', 'text', 'createdAt']),
    number: numberIn(row, 'sequence'),
  }),
};

/** Creates a store of memories in a table. The database searches the words that this code finds in their texts. */
export function createMemoryStore(database: Database): MemoryStore {
  const { wordSearch } = database.dialect;

  return {
    add(memory) {
      const key = { principal_key: principalKey(memory.principal), id: checkId(memory.id, 'The id of a memory') };
      checkMemory(memory);
      const record = jsonText(memory, 'A memory');
      const words = wordSearch.column(wordsOf([memory.text, ...(memory.tags ?? [])].join('\n')));
      return database.transaction(
        async (sql) => {
          const stored = await selectRow(sql, memories.table, key);
          if (stored !== undefined) return readRow(memories, stored);
          await checkRoom(sql, key.principal_key);
          await insertRow(sql, memories.table, { ...key, words, record });
          return readRow(memories, (await selectRow(sql, memories.table, key)) ?? {});
        },
        { lock: `memories ${key.principal_key}` },
      );
    },

    async get(principal, id) {
      const row = await selectRow(database, memories.table, { principal_key: principalKey(principal), id });
      return row && readRow(memories, row);
    },

    async search(principal, query, { limit = defaultResults } = {}) {
      const size = Math.min(pageSize(limit), memoryLimits.results);
      const words = queryWordsOf(query);
      if (words.length === 0) return [];
      const owner = principalKey(principal);
      const rows = await database.all(wordSearch.select, [owner, wordSearch.query(owner, words), size]);
      return readRows(memories, rows).items;
    },

    list: (principal, page) => selectPage(database, memories, { principal_key: principalKey(principal) }, page),
    count: (principal) => countOf(database, principalKey(principal)),

    async delete(principal, id) {
      const statement = `DELETE FROM ${memories.table} WHERE principal_key = $1 AND id = $2 RETURNING id`;
      return (await database.all(statement, [principalKey(principal), id])).length > 0;
    },

    async clear(principal) {
      const statement = `DELETE FROM ${memories.table} WHERE principal_key = $1 RETURNING id`;
      return (await database.all(statement, [principalKey(principal)])).length;
    },
  };
}

function checkMemory({ text, tags = [] }: NewMemory): void {
  if (typeof text !== 'string' || text.length === 0) throw invalid('The text of a memory is empty');
  const bytes = Buffer.byteLength(text);
  const { textBytes, tags: maxTags, tagLength } = memoryLimits;
  if (bytes > textBytes) throw invalid(`The text of a memory has ${bytes} bytes; the maximum is ${textBytes}`);
  if (tags.length > maxTags) throw invalid(`A memory has ${tags.length} tags; the maximum is ${maxTags}`);
  const wrong = tags.find((tag) => typeof tag !== 'string' || tag.length === 0 || tag.length > tagLength);
  if (wrong !== undefined) throw invalid(`A tag of a memory must have 1 to ${tagLength} characters`);
}

async function checkRoom(sql: SqlRunner, owner: string): Promise<void> {
  // Numbers are never used again, so there are at most as many rows as numbers between the first and the last one.
  const [{ range = 0 } = {}] = await sql.all(
    `SELECT (SELECT max(sequence) FROM ${memories.table} WHERE principal_key = $1)
       - (SELECT min(sequence) FROM ${memories.table} WHERE principal_key = $1) + 1 AS range`,
    [owner],
  );
  if (Number(range ?? 0) < memoryLimits.perPrincipal) return;
  const count = await countOf(sql, owner);
  if (count < memoryLimits.perPrincipal) return;
  throw new KernelError(
    'E_BUDGET_EXHAUSTED',
    `There are ${count} memories; the maximum is ${memoryLimits.perPrincipal}. Forget some first`,
  );
}

async function countOf(sql: SqlRunner, owner: string): Promise<number> {
  const [row = {}] = await sql.all(`SELECT count(*) AS count FROM ${memories.table} WHERE principal_key = $1`, [owner]);
  return numberIn(row, 'count');
}
