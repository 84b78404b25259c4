import { channelLimits, KernelError } from '@ravi/kernel';
import type { ChannelMessage, ChannelReading, ChannelStore, Listing } from '@ravi/kernel';
import { channelNumber, channelsOf, checkedKeyOf, keyOf, messageRow, messages, ownerKey } from './channel-rows.ts';
import { invalid } from './errors.ts';
import { checkId } from './keys.ts';
import { numberIn, readRow, readRows, textIn } from './rows.ts';
import { insertRow, pageSize, selectRow } from './select.ts';
import type { ChannelKey } from './channel-rows.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';

const channels = 'ravi_channels';
const readings = 'ravi_channel_readings';
const maxKept = 100_000;
const rowsPerSlice = 1_000;
const nothing: Listing<ChannelMessage> = { items: [], corrupt: [] };

/**
 * Creates a store of channels in tables. The writers of an owner wait for each other, so that messages get visible in the order of
 * their numbers.
 */
export function createChannelStore(database: Database): ChannelStore {
  function asWriter<Result>(owner: string, body: (sql: SqlRunner) => Promise<Result>): Promise<Result> {
    return database.transaction(body, { lock: `channels ${owner}` });
  }

  return {
    append(place, message, { keep = channelLimits.keptMessages } = {}) {
      const key = checkedKeyOf(place);
      const row = messageRow(message);
      if (!Number.isSafeInteger(keep) || keep < 1 || keep > maxKept) {
        throw invalid(`A channel keeps 1 to ${maxKept} messages, got ${keep}`);
      }
      return asWriter(key.owner_key, async (sql) => {
        const channel = await findOrCreate(sql, key, message.sentAt);
        const place = { channel, message_id: row.message_id };
        const isNew = await insertRow(sql, messages.table, { ...row, channel });
        const stored = readRow(messages, (await selectRow(sql, messages.table, place)) ?? {});
        if (!isNew) return stored;
        const removed = await trim(sql, channel, keep);
        await sql.all(
          `UPDATE ${channels} SET messages = messages + $2, last_number = $3, last_at = $4 WHERE sequence = $1`,
          [channel, 1 - removed, stored.number, message.sentAt],
        );
        return stored;
      });
    },

    async read(place, { after = 0, limit, newest = false } = {}) {
      const size = pageSize(limit);
      if (!Number.isSafeInteger(after)) throw invalid(`"after" must be the number of a message, got ${after}`);
      const key = keyOf(place);
      if (key === undefined) return nothing;
      const rows = await database.all(
        `SELECT * FROM ${messages.table} WHERE channel = (SELECT sequence FROM ${channels} WHERE owner_key = $1 AND name = $2)
         AND sequence > $3 ORDER BY sequence ${newest ? 'DESC' : 'ASC'} LIMIT $4`,
        [key.owner_key, key.name, after, size],
      );
      return readRows(messages, newest ? rows.toReversed() : rows);
    },

    async take(place, reading) {
      const size = pageSize(reading.limit);
      const reader = checkId(reading.reader, 'The reader of a channel');
      const reading_key = checkId(reading.key, 'The key of a reading');
      const key = keyOf(place);
      // Most readings find nothing new, and then need no transaction.
      if (key === undefined || !(await hasMore(database, key, { ...reading, reader }))) return nothing;
      return asWriter(key.owner_key, async (sql) => {
        const found = await selectRow(sql, channels, { ...key });
        if (found === undefined) return nothing;
        const channel = channelNumber(found);
        const earlier = await selectRow(sql, readings, { channel, reader, reading_key });
        if (earlier !== undefined) return readRows(messages, await messagesOf(sql, channel, earlier));
        const after_number = await positionOf(sql, channel, reader);
        const rows = await sql.all(
          `SELECT * FROM ${messages.table} WHERE channel = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
          [channel, after_number, size],
        );
        const last = rows.at(-1);
        if (last === undefined) return nothing;
        const last_number = numberIn(last, 'sequence');
        await insertRow(sql, readings, { channel, reader, reading_key, after_number, last_number });
        await forgetReadings(sql, channel, reader);
        return readRows(messages, rows);
      });
    },

    async list(owner) {
      const query = `SELECT * FROM ${channels} WHERE owner_key = $1 ORDER BY name LIMIT ${channelLimits.perOwner}`;
      const rows = await database.all(query, [ownerKey(owner)]);
      return readRows(channelsOf(owner.isShared === true), rows).items;
    },

    async delete(place) {
      const key = keyOf(place);
      if (key === undefined) return false;
      return asWriter(key.owner_key, async (sql) => {
        const found = await selectRow(sql, channels, { ...key });
        if (found !== undefined) await remove(sql, channelNumber(found));
        return found !== undefined;
      });
    },

    async removeBefore(before) {
      let removed = 0;
      for (;;) {
        const [old] = await database.all(
          `SELECT sequence, owner_key FROM ${channels} WHERE sequence =
             (SELECT channel FROM ${messages.table} WHERE sent_at < $1 ORDER BY sent_at LIMIT 1)`,
          [before],
        );
        if (old === undefined) return removed;
        const channel = channelNumber(old);
        removed += await asWriter(textIn(old, 'owner_key'), (sql) => removeOld(sql, channel, before));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

async function findOrCreate(sql: SqlRunner, key: ChannelKey, now: number): Promise<number> {
  const found = await selectRow(sql, channels, { ...key });
  if (found !== undefined) return channelNumber(found);
  const [row = {}] = await sql.all(`SELECT count(*) AS count FROM ${channels} WHERE owner_key = $1`, [key.owner_key]);
  if (numberIn(row, 'count') >= channelLimits.perOwner) {
    const message = `There are ${channelLimits.perOwner} channels already: delete one, or use one of them`;
    throw new KernelError('E_BUDGET_EXHAUSTED', message);
  }
  await insertRow(sql, channels, { ...key, created_at: now, messages: 0, last_number: 0, last_at: now });
  return channelNumber((await selectRow(sql, channels, { ...key })) ?? {});
}

async function trim(sql: SqlRunner, channel: number, keep: number): Promise<number> {
  const removed = await sql.all(
    `DELETE FROM ${messages.table} WHERE channel = $1 AND sequence <=
       (SELECT sequence FROM ${messages.table} WHERE channel = $1 ORDER BY sequence DESC LIMIT 1 OFFSET $2)
     RETURNING sequence`,
    [channel, keep],
  );
  return removed.length;
}

// In one statement: a repeated reading, or a message after the position.
async function hasMore(sql: SqlRunner, key: ChannelKey, reading: ChannelReading): Promise<boolean> {
  const rows = await sql.all(
    `SELECT 1 AS more FROM ${channels} AS c WHERE c.owner_key = $1 AND c.name = $2 AND (
       EXISTS (SELECT 1 FROM ${readings} AS r WHERE r.channel = c.sequence AND r.reader = $3 AND r.reading_key = $4)
       OR c.last_number > (SELECT coalesce(max(r.last_number), 0) FROM ${readings} AS r
         WHERE r.channel = c.sequence AND r.reader = $3))`,
    [key.owner_key, key.name, reading.reader, reading.key],
  );
  return rows.length > 0;
}

async function positionOf(sql: SqlRunner, channel: number, reader: string): Promise<number> {
  const query = `SELECT coalesce(max(last_number), 0) AS last FROM ${readings} WHERE channel = $1 AND reader = $2`;
  const [row = {}] = await sql.all(query, [channel, reader]);
  return numberIn(row, 'last');
}

function messagesOf(sql: SqlRunner, channel: number, reading: SqlRow): Promise<readonly SqlRow[]> {
  return sql.all(
    `SELECT * FROM ${messages.table} WHERE channel = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence`,
    [channel, numberIn(reading, 'after_number'), numberIn(reading, 'last_number')],
  );
}

async function forgetReadings(sql: SqlRunner, channel: number, reader: string): Promise<void> {
  await sql.all(
    `DELETE FROM ${readings} WHERE channel = $1 AND reader = $2 AND sequence <=
       (SELECT sequence FROM ${readings} WHERE channel = $1 AND reader = $2 ORDER BY sequence DESC LIMIT 1 OFFSET $3)`,
    [channel, reader, channelLimits.keptReadings],
  );
}

async function remove(sql: SqlRunner, channel: number): Promise<void> {
  for (const table of [messages.table, readings]) await sql.all(`DELETE FROM ${table} WHERE channel = $1`, [channel]);
  await sql.all(`DELETE FROM ${channels} WHERE sequence = $1`, [channel]);
}

/** Removes a slice of the old messages of a channel, and then a channel without messages. Returns their number. */
async function removeOld(sql: SqlRunner, channel: number, before: number): Promise<number> {
  const gone = await sql.all(
    `DELETE FROM ${messages.table} WHERE channel = $1 AND sequence IN
       (SELECT sequence FROM ${messages.table} WHERE channel = $1 AND sent_at < $2 ORDER BY sequence LIMIT ${rowsPerSlice})
     RETURNING sequence`,
    [channel, before],
  );
  const [left] = await sql.all(
    `UPDATE ${channels} SET messages = messages - $2 WHERE sequence = $1 RETURNING messages`,
    [channel, gone.length],
  );
  if (left !== undefined && numberIn(left, 'messages') === 0) await remove(sql, channel);
  return gone.length;
}
