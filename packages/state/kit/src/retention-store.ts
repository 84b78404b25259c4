import type { JournalItem, RetentionStore } from '@ravi/kernel';
import { approvals } from './approval-rows.ts';
import { itemsOfRows, packableJournal } from './journal-rows.ts';
import { packedTable, packOldest } from './packed-rows.ts';
import { removeUnusedContents } from './exchange-store.ts';
import { packableEvents, runEventsTable } from './run-events.ts';
import { isLive, runs } from './run-rows.ts';
import { numberIn, textIn } from './rows.ts';
import type { Database } from './database.ts';

const journal = 'ravi_journal';
const tablesOfRun: readonly string[] = [
  journal,
  runEventsTable,
  packedTable,
  'ravi_exchanges',
  approvals.table,
  'ravi_jobs',
];
const orphanedRunsPerQuery = 100;
const rowsPerSlice = 1_000;
/** Tables in which one run may have very many rows, with the columns that tell its rows apart. */
const largeTables: readonly (readonly [table: string, key: string])[] = [
  [journal, 'sequence'],
  [runEventsTable, 'epoch, n'],
  ['ravi_exchanges', 'sequence'],
];

const hasNoRun = (table: string): string =>
  `NOT EXISTS (SELECT 1 FROM ${runs.table} WHERE ${runs.table}.id = ${table}.run_id)`;

/**
 * Creates a store that removes rows. Each run is removed in its own transaction, so that other writers do not wait for
 * long.
 */
export function createRetentionStore(database: Database): RetentionStore {
  /** Removes most rows of a large final run, so that the transaction that removes the run is short. */
  async function removeExcess(id: string): Promise<void> {
    const isFinal = `EXISTS (SELECT 1 FROM ${runs.table} WHERE id = $1 AND NOT (${isLive}))`;
    for (const [table, key] of largeTables) {
      for (;;) {
        const ofRun = `SELECT ${key} FROM ${table} WHERE run_id = $1 AND ${isFinal}`;
        const [excess] = await database.all(`${ofRun} LIMIT 1 OFFSET ${rowsPerSlice}`, [id]);
        if (excess === undefined) break;
        await database.all(
          `DELETE FROM ${table} WHERE run_id = $1 AND (${key}) IN (${ofRun} ORDER BY ${key} LIMIT ${rowsPerSlice})`,
          [id],
        );
      }
    }
  }

  async function removeOrphanedCalls(runId: string, before: number): Promise<number> {
    const rows = await database.all(`SELECT * FROM ${journal} WHERE run_id = $1 ORDER BY sequence`, [runId]);
    const { items, corrupt } = itemsOfRows(rows);
    if (corrupt.length > 0 || !items.every((item) => endedBefore(item, before))) return 0;
    const last = numberIn(rows.at(-1) ?? { sequence: 0 }, 'sequence');
    // A call added meanwhile stays; if a run with this id was added, all of them stay.
    const removed = await database.all(
      `DELETE FROM ${journal} WHERE run_id = $1 AND sequence <= $2 AND ${hasNoRun(journal)} RETURNING sequence`,
      [runId, last],
    );
    return removed.length > 0 ? 1 : 0;
  }

  return {
    async removeRun(id) {
      await removeExcess(id);
      return database.transaction(async (sql) => {
        // The run first: a concurrent removal waits here and then finds nothing.
        const [removed] = await sql.all(
          `DELETE FROM ${runs.table} WHERE id = $1 AND NOT (${isLive}) RETURNING principal_key, parent_run_id`,
          [id],
        );
        if (removed === undefined) return false;
        // The conversation of a sub-agent, which nothing else can read.
        if (removed['parent_run_id'] !== null) {
          const values = [textIn(removed, 'principal_key'), id];
          await sql.all('DELETE FROM ravi_turns WHERE principal_key = $1 AND session_id = $2', values);
        }
        for (const table of tablesOfRun) await sql.all(`DELETE FROM ${table} WHERE run_id = $1`, [id]);
        return true;
      });
    },
    async packNext(before) {
      const [run] = await database.all(
        `SELECT id FROM ${runs.table} WHERE is_packed = 0 AND NOT (${isLive}) AND updated_at < $1 ORDER BY updated_at LIMIT 1`,
        [before],
      );
      if (run === undefined) return false;
      const id = textIn(run, 'id');
      for (const source of [packableJournal, packableEvents]) {
        // In transactions of their own, so that other writers wait for one slice at most.
        while (
          await database.transaction((sql) => packOldest(sql, source, id), { lock: 'packing', durability: 'process' })
        );
      }
      await database.all(`UPDATE ${runs.table} SET is_packed = 1 WHERE id = $1`, [id]);
      return true;
    },
    reclaim: () => database.reclaim?.() ?? Promise.resolve(false),

    async removeOrphans(before) {
      await removeUnusedContents(database);
      const { table } = approvals;
      const answered = await database.all(
        `DELETE FROM ${table} WHERE status <> 'pending' AND expires_at < $1 AND ${hasNoRun(table)} RETURNING id`,
        [before],
      );
      let removed = answered.length;
      let after = '';
      for (;;) {
        const found = await database.all(
          `SELECT DISTINCT run_id FROM ${journal} WHERE run_id > $1 AND ${hasNoRun(journal)} ORDER BY run_id LIMIT $2`,
          [after, orphanedRunsPerQuery],
        );
        for (const row of found) removed += await removeOrphanedCalls((after = String(row['run_id'])), before);
        if (found.length < orphanedRunsPerQuery) return removed;
      }
    },
  };
}

function endedBefore(item: JournalItem, before: number): boolean {
  if (item.type === 'event') return false;
  const { startedAt, durationMs } = item.entry.record;
  return startedAt + durationMs < before;
}
