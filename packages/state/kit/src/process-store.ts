import type { NewProcess, ProcessRecord, ProcessStore } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { checkId } from './keys.ts';
import { numberIn, readRow, textIn } from './rows.ts';
import { runs } from './run-rows.ts';
import { selectPage } from './select.ts';
import { noteRun } from './wakes.ts';
import type { Database, SqlRow } from './database.ts';
import type { PagedList } from './select.ts';

/** Table of processes. `dead_at` is the time from which a process counts as dead, unless it says before that it lives. */
export const processTable = 'ravi_processes';

const maxDeadAfterMs = 86_400_000;
const maxAddressLength = 2_000;
// Heartbeats need not survive a power failure, because their processes do not either.
const process = { durability: 'process' } as const;

/** Creates a store of processes in a table. A heartbeat is one statement, which changes no indexed column. */
export function createProcessStore(database: Database): ProcessStore {
  const { leaseNow: now } = database.dialect;
  const columns = `*, ${now} < dead_at AS is_alive`;
  const processes = pagedProcesses(`(SELECT ${columns} FROM ${processTable}) AS processes`);
  const wasDead = `CASE WHEN ${processTable}.dead_at <= ${now} THEN 1 ELSE 0 END`;

  const one = (sql: string, values: readonly (string | number | null)[]): Promise<SqlRow | undefined> =>
    database.transaction(async (runner) => (await runner.all(sql, values))[0], process);

  return {
    async register(started) {
      const { id, deadAfterMs, address = null, version = null } = checked(started);
      // One reading of the clock, which moves within a statement. The condition ends the query where ON could join.
      const row = await one(
        `INSERT INTO ${processTable}
           (id, epoch, address, version, started_at, heartbeat_at, dead_after_ms, dead_at)
         SELECT CAST($1 AS TEXT), 1, CAST($2 AS TEXT), CAST($3 AS TEXT), time.now, time.now, CAST($4 AS BIGINT), time.now + $4
         FROM (SELECT ${now} AS now) AS time WHERE 1 = 1
         ON CONFLICT (id) DO UPDATE
           SET epoch = ${processTable}.epoch + ${wasDead}, address = excluded.address, version = excluded.version,
             heartbeat_at = excluded.heartbeat_at, dead_after_ms = excluded.dead_after_ms, dead_at = excluded.dead_at
         RETURNING ${columns}`,
        [id, address, version, deadAfterMs],
      );
      return readRow(processes, row ?? {});
    },
    async beat(id) {
      const row = await one(
        `UPDATE ${processTable}
         SET epoch = epoch + ${wasDead}, heartbeat_at = ${now}, dead_at = ${now} + dead_after_ms
         WHERE id = $1 RETURNING epoch`,
        [id],
      );
      return row && numberIn(row, 'epoch');
    },
    list: (page) => selectPage(database, processes, {}, page),
    remove: (id) =>
      database.transaction(async (sql) => {
        const removed = await sql.all(`DELETE FROM ${processTable} WHERE id = $1 RETURNING id`, [id]);
        // One that was claimed and has not continued waits for its decision as before.
        await sql.all(`UPDATE ${runs.table} SET lease_owner = NULL WHERE lease_owner = $1 AND status = 'paused'`, [id]);
        const left = await sql.all(`SELECT id FROM ${runs.table} WHERE lease_owner = $1 AND status = 'running'`, [id]);
        for (const row of left) noteRun(sql, textIn(row, 'id'), 'orphaned', true);
        return removed.length > 0;
      }, process),
    async removeDead(deadForMs) {
      const removed = await database.all(
        `DELETE FROM ${processTable} WHERE dead_at <= ${now} - $1
           AND NOT EXISTS (SELECT 1 FROM ${runs.table} WHERE lease_owner = ${processTable}.id AND status = 'running') RETURNING id`,
        [deadForMs],
      );
      return removed.length;
    },
  };
}

function pagedProcesses(table: string): PagedList<ProcessRecord> {
  return {
    table,
    orderedBy: 'sequence',
    newestFirst: false,
    key: (row) => String(row['id']),
    decode: (row) => ({
      id: textIn(row, 'id'),
      epoch: numberIn(row, 'epoch'),
      deadAfterMs: numberIn(row, 'dead_after_ms'),
      ...(row['address'] === null ? {} : { address: textIn(row, 'address') }),
      ...(row['version'] === null ? {} : { version: textIn(row, 'version') }),
      startedAt: numberIn(row, 'started_at'),
      heartbeatAt: numberIn(row, 'heartbeat_at'),
      isAlive: Boolean(row['is_alive']),
    }),
  };
}

function checked(started: NewProcess): NewProcess {
  const { id, deadAfterMs, address, version } = started;
  checkId(id, 'The id of a process');
  if (address !== undefined) checkId(address, 'The address of a process', maxAddressLength);
  if (version !== undefined) checkId(version, 'The version of a process');
  if (Number.isSafeInteger(deadAfterMs) && deadAfterMs >= 1 && deadAfterMs <= maxDeadAfterMs) return started;
  throw invalid(`deadAfterMs must be a whole number from 1 to ${maxDeadAfterMs}, got ${deadAfterMs}`);
}
