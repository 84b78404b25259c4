import { createHash } from 'node:crypto';
import type { ExchangeStore, JsonValue, StoredExchange } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { checkId } from './keys.ts';
import { packOldest, packedTable, rowsOf } from './packed-rows.ts';
import { numberIn, objectIn, readRows, textIn } from './rows.ts';
import { checkWriter } from './run-rows.ts';
import { insertRow, insertRows, pageSize, positionOf } from './select.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';
import type { PackableTable } from './packed-rows.ts';
import type { RowReader } from './rows.ts';

/** Exchanges as a table whose rows can be packed. */
export const packableExchanges: PackableTable = {
  table: 'ravi_exchanges',
  owner: ['run_id'],
  key: ['sequence'],
  columns: ['sequence', 'record'],
};

const { table } = packableExchanges;
const contents = 'ravi_contents';
const uses = 'ravi_content_uses';
const contentsPerRemoval = 100;
/** Lock of transactions that store, pack or remove the uses of contents. They must not overlap. */
export const contentsLock = 'contents';

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
      await database.transaction(write, { lock: contentsLock, durability: 'process' });
    },

    async list(runId, request) {
      const size = pageSize(request?.limit);
      const after = { epoch: 0, n: request?.cursor === undefined ? 0 : positionOf(request.cursor) };
      const rows = await rowsOf(database, packableExchanges, [runId], { after, limit: size + 1 });
      const page = rows.slice(0, size);
      const readable = readRows(readableRows, page);
      const known = await contentsOf(readable.items);
      const { items, corrupt } = readRows({ ...stored, decode: (row) => exchangeOf(row, known) }, readable.items);
      const last = page.at(-1);
      const next = rows.length > size && last ? { next: String(last['sequence']) } : {};
      return { items, corrupt: [...readable.corrupt, ...corrupt], ...next };
    },
  };
}

/**
 * Packs the oldest exchanges of an ended run and returns their number. The contents that they use count as used by the last of them,
 * because the numbers of the others can no longer be searched. The caller runs it in a transaction with {@link contentsLock}.
 */
export async function packExchanges(sql: SqlRunner, runId: string): Promise<number> {
  const packed = await packOldest(sql, packableExchanges, [runId]);
  const { items } = readRows(readableRows, packed);
  const digests = new Set(items.flatMap((row) => Object.values(decodeRecord(row).shared)));
  const last = numberIn(packed.at(-1) ?? { sequence: 0 }, 'sequence');
  for (const digest of digests) {
    await sql.all(`UPDATE ${uses} SET last_use = $2 WHERE digest = $1 AND last_use < $2`, [digest, last]);
  }
  return packed.length;
}

/** Removes some of the contents that only removed exchanges have used. Returns false if there were fewer than a slice of them. */
export function removeUnusedContents(database: Database): Promise<boolean> {
  return database.transaction(
    async (sql) => {
      const [oldest = {}] = await sql.all(
        `SELECT (SELECT min(sequence) FROM ${table}) AS loose,
                (SELECT min(last_n) FROM ${packedTable} WHERE source = '${table}') AS packed`,
      );
      const kept = Math.min(...[oldest['loose'], oldest['packed']].map((first) => first ?? Infinity).map(Number));
      // A content that an exchange uses was last used by it or by a later one.
      const unused = await sql.all(
        `DELETE FROM ${uses} WHERE digest IN (
           SELECT digest FROM ${uses} WHERE last_use < $1 ORDER BY last_use LIMIT ${contentsPerRemoval}) RETURNING digest`,
        [Math.min(kept, Number.MAX_SAFE_INTEGER)],
      );
      for (const row of unused) await sql.all(`DELETE FROM ${contents} WHERE digest = $1`, [textIn(row, 'digest')]);
      return unused.length === contentsPerRemoval;
    },
    { lock: contentsLock },
  );
}

const stored = { table, key: (row: SqlRow) => `${String(row['run_id'])} ${String(row['sequence'])}` };

/** Reader of the rows whose record can be read. */
const readableRows: RowReader<SqlRow> = {
  ...stored,
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
