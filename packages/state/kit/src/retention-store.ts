import type { JournalItem, RetentionStore } from '@ravi/kernel';
import { approvals } from './approval-rows.ts';
import { removeEndedCancellations } from './cancellation-store.ts';
import { itemsOfRows, packableJournal } from './journal-rows.ts';
import { packedTable, packOldest, packOwner } from './packed-rows.ts';
import { contentsLock, packableExchanges, packExchanges, removeUnusedContents } from './exchange-store.ts';
import { packableTurns } from './history-store.ts';
import { packableEvents, runEventsTable } from './run-events.ts';
import { inputsTable } from './run-inputs.ts';
import { isLive, runs } from './run-rows.ts';
import { removeUnusedScratchpads } from './run-scratchpads.ts';
import { numberIn, textIn } from './rows.ts';
import { removeOldTriggers } from './trigger-store.ts';
import type { Database, SqlRow, SqlRunner } from './database.ts';

const journal = 'ravi_journal';
const exchanges = packableExchanges.table;
const turns = packableTurns.table;
const tablesOfRun: readonly string[] = [
  journal,
  runEventsTable,
  packedTable,
  exchanges,
  approvals.table,
  'ravi_jobs',
  inputsTable,
];
const runsPerSlice = 100;
const approvalsPerSlice = 500;
const rowsPerSlice = 1_000;
// Fewer messages of a conversation wait for later ones: each pack takes a row.
const minTurns = 16;
/** Tables in which one run may have very many rows, with the columns that tell its rows apart. */
const largeTables: readonly (readonly [table: string, key: string])[] = [
  [journal, 'sequence'],
  [runEventsTable, 'epoch, n'],
  [exchanges, 'sequence'],
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

  async function removeOrphanedApprovals(before: number): Promise<number> {
    const { table } = approvals;
    let removed = 0;
    for (let after: string | undefined = ''; after !== undefined; await turn()) {
      const [end]: readonly SqlRow[] = await database.all(
        `SELECT id FROM ${table} WHERE id > $1 ORDER BY id LIMIT 1 OFFSET ${approvalsPerSlice}`,
        [after],
      );
      const last: string | undefined = end && textIn(end, 'id');
      const gone = await database.all(
        `DELETE FROM ${table} WHERE id > $1 ${last === undefined ? '' : 'AND id <= $3'} AND status <> 'pending' AND expires_at < $2
         AND ${hasNoRun(table)} RETURNING id`,
        last === undefined ? [after, before] : [after, before, last],
      );
      removed += gone.length;
      after = last;
    }
    return removed;
  }

  async function removeOrphanedJournals(before: number): Promise<number> {
    const nextId = (after: string): string => `(SELECT min(run_id) FROM ${journal} WHERE run_id > ${after})`;
    let removed = 0;
    for (let after = ''; ; await turn()) {
      // One search of the index per run, however many rows each has.
      const ids = await database.all(
        `WITH RECURSIVE ids (id, count) AS (
           SELECT ${nextId('$1')}, 1
           UNION ALL SELECT ${nextId('ids.id')}, count + 1 FROM ids WHERE id IS NOT NULL AND count < ${runsPerSlice})
         SELECT id, EXISTS (SELECT 1 FROM ${runs.table} WHERE ${runs.table}.id = ids.id) AS has_run FROM ids
         WHERE id IS NOT NULL ORDER BY id`,
        [after],
      );
      for (const row of ids) {
        after = textIn(row, 'id');
        if (!row['has_run']) removed += await removeOrphanedCalls(after, before);
      }
      if (ids.length < runsPerSlice) return removed;
    }
  }

  /**
   * Runs transactions of their own until one returns false, so that other writers wait for one slice at most. Each keeps the run
   * from being removed: nothing would remove rows that were packed meanwhile.
   */
  async function packSlices(id: string, lock: string, pack: (sql: SqlRunner) => Promise<boolean>): Promise<void> {
    const packIfKept = async (sql: SqlRunner): Promise<boolean> => {
      const kept = await sql.all(`SELECT id FROM ${runs.table} WHERE id = $1${database.dialect.lockRows}`, [id]);
      return kept.length > 0 && pack(sql);
    };
    while (await database.transaction(packIfKept, { lock, durability: 'process' })) await turn();
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
          const conversation = [textIn(removed, 'principal_key'), id];
          await sql.all(`DELETE FROM ${turns} WHERE principal_key = $1 AND session_id = $2`, conversation);
          await sql.all(`DELETE FROM ${packedTable} WHERE run_id = $1`, [packOwner(conversation)]);
        }
        for (const table of tablesOfRun) await sql.all(`DELETE FROM ${table} WHERE run_id = $1`, [id]);
        return true;
      });
    },
    async packNext(before) {
      const [run] = await database.all(
        `SELECT id, principal_key, session_id FROM ${runs.table}
         WHERE is_packed = 0 AND NOT (${isLive}) AND updated_at < $1 ORDER BY updated_at LIMIT 1`,
        [before],
      );
      if (run === undefined) return false;
      const id = textIn(run, 'id');
      for (const source of [packableJournal, packableEvents]) {
        await packSlices(id, 'packing', async (sql) => (await packOldest(sql, source, [id])).length > 0);
      }
      await packSlices(id, contentsLock, async (sql) => (await packExchanges(sql, id)) > 0);
      // The conversation of a sub-agent has the id of its run.
      for (const session of new Set([textIn(run, 'session_id'), id])) {
        const conversation = [textIn(run, 'principal_key'), session];
        await packSlices(
          id,
          'packing',
          async (sql) => (await packOldest(sql, packableTurns, conversation, minTurns)).length > 0,
        );
      }
      await database.all(`UPDATE ${runs.table} SET is_packed = 1 WHERE id = $1`, [id]);
      return true;
    },
    reclaim: () => database.reclaim?.() ?? Promise.resolve(false),

    async removeOrphans(before) {
      while (await removeUnusedContents(database)) await turn();
      await removeUnusedScratchpads(database);
      // Those of runs that ended before their owner looked.
      await removeEndedCancellations(database);
      await removeOldTriggers(database, before);
      return (await removeOrphanedApprovals(before)) + (await removeOrphanedJournals(before));
    },
  };
}

function endedBefore(item: JournalItem, before: number): boolean {
  if (item.type === 'event') return false;
  const { startedAt, durationMs } = item.entry.record;
  return startedAt + durationMs < before;
}

// Requests and calls that wait go first.
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
