import { createHash } from 'node:crypto';
import type { ExchangeStore, JsonValue, StoredExchange } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { checkId } from './keys.ts';
import { numberIn, objectIn, readRows, textIn } from './rows.ts';
import { checkWriter } from './run-rows.ts';
import { insertRow, insertRows, selectPage } from './select.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';
import type { RowReader } from './rows.ts';
import type { PagedList } from './select.ts';

const table = 'ravi_exchanges';
const contents = 'ravi_contents';
const uses = 'ravi_content_uses';
// An exchange and the removal of contents must not overlap.
const lock = 'contents';

/** Record of an exchange: shared values by their digests. */
interface ExchangeRecord {
  readonly record: JsonValue;
  readonly shared: Readonly<Record<string, string>>;
}

/** Creates a store of exchanges in a table. Shared values are in a table of their own, by the SHA-256 of their JSON. */
export function createExchangeStore(database: Database): ExchangeStore {
  async function contentsOf(rows: readonly SqlRow[]): Promise<ReadonlyMap<string, JsonValue>> {
    const digests = new Set(rows.flatMap((row) => Object.values(decodeRecord(row).shared)));
    if (digests.size === 0) return new Map();
    const places = [...digests].map((_, index) => `$${index + 1}`).join(', ');
    const found = await database.all(`SELECT * FROM ${contents} WHERE digest IN (${places})`, [...digests]);
    // A damaged content is missing here, so that the exchanges that use it are reported.
    return new Map(readRows(contentReader, found).items);
  }

  return {
    async append({ runId, record, shared }, writer) {
      const run_id = checkId(runId, 'The run of an exchange');
      const texts = Object.entries(shared).map(([name, value]) => {
        const content = jsonText(value, `The field "${name}" of an exchange`);
        return { name, content, digest: createHash('sha256').update(content).digest('hex') };
      });
      const digests = Object.fromEntries(texts.map(({ name, digest }) => [name, digest]));
      const json = jsonText({ record, shared: digests } satisfies ExchangeRecord, 'An exchange');
      const write = async (sql: SqlRunner): Promise<void> => {
        await checkWriter(sql, database.dialect.lockRows, writer);
        const [row = {}] = await insertRows(sql, table, ['run_id', 'record'], [[run_id, json]]);
        const sequence = numberIn(row, 'sequence');
        for (const { digest, content } of texts) {
          const [known] = await sql.all(`UPDATE ${uses} SET last_use = $2 WHERE digest = $1 RETURNING digest`, [
            digest,
            sequence,
          ]);
          if (known !== undefined) continue;
          await insertRow(sql, contents, { digest, content });
          await insertRow(sql, uses, { digest, last_use: sequence });
        }
      };
      await database.transaction(write, { lock, durability: 'process' });
    },

    async list(runId, request) {
      const page = await selectPage(database, readableRows, { run_id: runId }, request);
      const known = await contentsOf(page.items);
      const { items, corrupt } = readRows({ ...stored, decode: (row) => exchangeOf(row, known) }, page.items);
      return { ...page, items, corrupt: [...page.corrupt, ...corrupt] };
    },
  };
}

/** Removes the contents that only removed exchanges have used. Returns their number. */
export function removeUnusedContents(database: Database): Promise<number> {
  return database.transaction(
    async (sql) => {
      const [oldest = {}] = await sql.all(
        `SELECT coalesce(min(sequence), ${Number.MAX_SAFE_INTEGER}) AS kept FROM ${table}`,
      );
      // A content that an exchange uses was last used by it or by a later one.
      const unused = await sql.all(`DELETE FROM ${uses} WHERE last_use < $1 RETURNING digest`, [
        numberIn(oldest, 'kept'),
      ]);
      for (const row of unused) await sql.all(`DELETE FROM ${contents} WHERE digest = $1`, [textIn(row, 'digest')]);
      return unused.length;
    },
    { lock },
  );
}

const stored = { table, key: (row: SqlRow) => `${String(row['run_id'])} ${String(row['sequence'])}` };

/** List of the rows whose record can be read. */
const readableRows: PagedList<SqlRow> = {
  ...stored,
  orderedBy: 'sequence',
  newestFirst: false,
  decode: (row) => {
    decodeRecord(row);
    return row;
  },
};

const contentReader: RowReader<readonly [string, JsonValue]> = {
  table: contents,
  key: (row) => String(row['digest']),
  decode: (row) => [textIn(row, 'digest'), JSON.parse(textIn(row, 'content')) as JsonValue],
};

function decodeRecord(row: SqlRow): ExchangeRecord {
  return objectIn<ExchangeRecord>(row, 'record', ['record', 'shared']);
}

function exchangeOf(row: SqlRow, known: ReadonlyMap<string, JsonValue>): StoredExchange {
  const { record, shared } = decodeRecord(row);
  const values = Object.entries(shared).map(([name, digest]) => {
    const value = known.get(digest);
    if (value === undefined) throw new TypeError(`the content of "${name}" is missing or damaged`);
    return [name, value] as const;
  });
  const cursor = String(numberIn(row, 'sequence'));
  return { runId: textIn(row, 'run_id'), record, shared: Object.fromEntries(values), cursor };
}
