import type { JsonObject, NewRunEvent, RunEventOf, RunStore } from '@ravi/kernel';
import { addsChanges } from './approval-rows.ts';
import { endedReason, withdrawElicitations, withdrawOfRun } from './approval-steps.ts';
import { conflict, invalid } from './errors.ts';
import { endJobsOf } from './job-store.ts';
import { jsonText } from './json-text.ts';
import { checkId, checkOptionalId, optionalPrincipalKey, principalKey } from './keys.ts';
import { numberIn, readRow, textIn } from './rows.ts';
import { hasInputAfter } from './run-inputs.ts';
import { endOpenCalls } from './open-calls.ts';
import { addLastEvent } from './run-events.ts';
import { checkWriter, hasStatus, isLive, runs } from './run-rows.ts';
import { removeScratchpad } from './run-scratchpads.ts';
import { endRunsBelow, hasEnded, takeRunTree } from './run-tree.ts';
import { hasNoOldLease, selectFree } from './free-runs.ts';
import { processTable } from './process-store.ts';
import { countPaused, selectAnswered, selectPaused } from './paused-runs.ts';
import { insertRow, selectPage, selectRow } from './select.ts';
import type { Condition, ValueCondition } from './select.ts';
import { noteRun } from './wakes.ts';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';

/** Creates a store of runs in a table. Each change of an owner is one statement whose condition names the allowed owner. */
export function createRunStore(database: Database): RunStore {
  const { leaseNow, lockRows } = database.dialect;
  return {
    async create(run, holder) {
      const row = {
        id: checkId(run.id, 'The id of a run'),
        principal_key: principalKey(run.principal),
        session_id: checkId(run.sessionId, 'The session of a run'),
        parent_run_id: checkOptionalId(run.parentRunId, 'The parent of a run'),
        status: 'running',
        updated_at: run.createdAt,
        lease_owner: checkOptionalId(holder?.owner, 'The owner of a run'),
        epoch: holder === undefined ? 0 : 1,
        kind: checkId(run.definition.kind, 'The kind of a run'),
        record: jsonText(run, 'A run'),
        block: null,
        outcome: null,
      };
      const insert = async (sql: SqlRunner): Promise<void> => {
        if (!(await insertRow(sql, runs.table, row))) throw conflict(`Run "${run.id}" already exists`);
        if (holder === undefined) noteRun(sql, run.id, 'begun');
      };
      const { parentRunId } = run;
      if (parentRunId === undefined) await (holder === undefined ? database.transaction(insert) : insert(database));
      else {
        await database.transaction(async (sql) => {
          await checkWriter(sql, lockRows, holder?.above);
          if (await hasEnded(sql, database.dialect, parentRunId)) throw conflict(`Run "${parentRunId}" has ended`);
          await insert(sql);
        });
      }
      return readRow(runs, row);
    },
    async get(id) {
      const row = await selectRow(database, runs.table, { id });
      return row && readRow(runs, row);
    },
    list: ({ principal, sessionId, parentRunId, status, endedBefore }, page) =>
      selectPage(
        database,
        runs,
        {
          principal_key: optionalPrincipalKey(principal),
          session_id: sessionId,
          parent_run_id: parentRunId,
          status: status === 'blocked' ? 'paused' : status,
          ...(status === 'paused' ? { block: null } : {}),
        },
        page,
        [...(status === 'blocked' ? [isBlocked] : []), ...(endedBefore === undefined ? [] : [ended(endedBefore)])],
      ),
    async transition(id, { from, to, now, owner, epoch, above, inputsRead, block, outcome, event }) {
      if (from.length === 0) return false;
      if ((to === 'blocked') !== (block !== undefined)) {
        throw invalid(`A run has a block if and only if it becomes blocked, and "${id}" becomes ${to}`);
      }
      const values: SqlValue[] = [
        id,
        to === 'blocked' ? 'paused' : to,
        now,
        outcome === undefined ? null : jsonText(outcome, 'The outcome of a run'),
        block === undefined ? null : jsonText(block, 'The block of a run'),
      ];
      const ownedBy = owner === undefined ? '' : `AND lease_owner = $${values.push(owner)}`;
      const inEpoch = epoch === undefined ? '' : `AND epoch = $${values.push(epoch)}`;
      const lease = to === 'running' ? '' : ', lease_owner = NULL, lease_expires_at = NULL';
      const change = async (sql: SqlRunner): Promise<boolean> => {
        const [changed] = await sql.all(
          `UPDATE ${runs.table} SET status = $2, updated_at = $3, outcome = $4, block = $5${lease}
           WHERE id = $1 AND ${isLive} AND ${hasStatus(from)} ${ownedBy} ${inEpoch} RETURNING epoch`,
          values,
        );
        if (changed === undefined) return false;
        if (event !== undefined) {
          const epoch = numberIn(changed, 'epoch');
          // The process that executes a run has stored the ends of its calls.
          if (event.type === 'run-end' && owner === undefined) await endOpenCalls(sql, { runId: id, epoch }, now);
          await addLastEvent(sql, { runId: id, epoch }, recordOf(event, now));
        }
        return true;
      };
      if (to === 'running' || to === 'paused' || to === 'blocked') {
        const isRetry = to === 'running' && from.includes('blocked');
        if (event === undefined && above === undefined && !isRetry) return change(database);
        return database.transaction(async (sql) => {
          await checkWriter(sql, lockRows, above);
          const isChanged = await change(sql);
          if (isChanged && isRetry) noteRun(sql, id, 'retried');
          return isChanged;
        });
      }
      return database.transaction(async (sql) => {
        await checkWriter(sql, lockRows, above);
        await takeRunTree(sql, database.dialect, id);
        if (inputsRead !== undefined && (await hasInputAfter(sql, id, inputsRead))) return false;
        const isChanged = await change(sql);
        if (!isChanged) return false;
        noteRun(sql, id, 'child-ended');
        await withdrawOfRun(sql, id, now, endedReason(to, outcome?.error?.message));
        const message = `The run ${id}, which started this job, is ${to}`;
        await endJobsOf(sql, database.dialect, id, { now, message });
        await removeScratchpad(sql, id);
        await endRunsBelow(sql, database.dialect, { id, status: to }, now);
        return true;
      }, addsChanges);
    },
    async claim(id, { owner, above, start }) {
      checkId(owner, 'The owner of a run');
      const claimed = await database.transaction(async (sql) => {
        await checkWriter(sql, lockRows, above);
        const begun = await takeFree(sql, id, owner);
        if (begun !== undefined) {
          const writer = { runId: id, epoch: numberIn(begun, 'epoch') };
          if (start !== undefined) await addLastEvent(sql, writer, recordOf(start.event, start.now));
          return { row: begun, isBegun: true };
        }
        const [own] = await sql.all(`SELECT * FROM ${runs.table} WHERE id = $1 AND ${isLive} AND lease_owner = $2`, [
          id,
          owner,
        ]);
        return own && { row: own, isBegun: false };
      });
      if (claimed === undefined) return undefined;
      const run = readRow(runs, claimed.row);
      if (claimed.isBegun && run.epoch > 1) await withdrawElicitations(database, id);
      return run;
    },
    // Owners need not survive a power failure, because their processes do not either.
    async release(id, owner, epoch) {
      const values: SqlValue[] = [id, owner];
      const inEpoch = epoch === undefined ? '' : `AND epoch = $${values.push(epoch)}`;
      const released = await database.transaction(
        async (sql) => {
          const rows = await sql.all(
            `UPDATE ${runs.table} SET lease_owner = NULL, lease_expires_at = NULL
             WHERE id = $1 AND lease_owner = $2 ${inEpoch} RETURNING id`,
            values,
          );
          if (rows.length > 0) noteRun(sql, id, 'orphaned');
          return rows;
        },
        { durability: 'process' },
      );
      return released.length > 0;
    },
    listFree: (page) => selectFree(database, leaseNow, page),
    async listHeld(owner) {
      const rows = await database.all(`SELECT id, epoch FROM ${runs.table} WHERE lease_owner = $1 ORDER BY sequence`, [
        owner,
      ]);
      return rows.map((row) => ({ id: textIn(row, 'id'), epoch: numberIn(row, 'epoch') }));
    },
    listPaused: (page) => selectPaused(database, page),
    listAnswered: (expiredSince, page) => selectAnswered(database, expiredSince, page),
    countPaused: (principal, atMost) => countPaused(database, principal, atMost),
  };

  // In statements that lock no run before they change it: of several processes that did, each would wait for the others.
  async function takeFree(sql: SqlRunner, id: string, owner: string): Promise<SqlRow | undefined> {
    const [found] = await sql.all(`SELECT lease_owner FROM ${runs.table} WHERE id = $1`, [id]);
    const previous = found?.['lease_owner'];
    if (previous === undefined || previous === owner) return undefined;
    const values: SqlValue[] = [id, owner];
    let free = 'lease_owner IS NULL';
    if (typeof previous === 'string') {
      if (await isAlive(sql, previous)) return undefined;
      free = `lease_owner = $${values.push(previous)} AND ${hasNoOldLease(leaseNow)}`;
    }
    const [begun] = await sql.all(
      `UPDATE ${runs.table} SET lease_owner = $2, lease_expires_at = NULL, epoch = epoch + 1
       WHERE id = $1 AND ${isLive} AND ${free} RETURNING *`,
      values,
    );
    return begun;
  }

  // A heartbeat of the process waits until the transaction ends, so that the process finds out afterwards what it has lost.
  async function isAlive(sql: SqlRunner, id: string): Promise<boolean> {
    const [row] = await sql.all(
      `SELECT dead_at > ${leaseNow} AS is_alive FROM ${processTable} WHERE id = $1${lockRows}`,
      [id],
    );
    return Boolean(row?.['is_alive']);
  }
}

// The condition on the status is one of the filter.
const isBlocked: Condition = { text: 'block IS NOT NULL' };

function recordOf(event: RunEventOf<'run-start' | 'run-end' | 'run-paused'>, at: number): Omit<NewRunEvent, 'n'> {
  const { type, runId: _run, sessionId: _session, ...data } = event;
  return { at, type, data: data as unknown as JsonObject };
}

// By the index of ended runs, because there may be any number of others.
function ended(before: number): ValueCondition {
  const text = `sequence IN (SELECT run.sequence FROM ${runs.table} run WHERE run.status NOT IN ('running', 'paused') AND run.updated_at <`;
  const isOutermost = `NOT EXISTS (SELECT 1 FROM ${runs.table} above WHERE above.id = run.parent_run_id)`;
  return { text, value: before, after: ` AND ${isOutermost})` };
}
