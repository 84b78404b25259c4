import type { JsonObject, NewRunEvent, Run, RunEventOf, RunStore } from '@ravi/kernel';
import { approvalsLock, endedReason, withdrawElicitations, withdrawOfRun } from './approval-steps.ts';
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
import { endRunsBelow, hasEnded } from './run-tree.ts';
import { selectExpired } from './expired-runs.ts';
import { countPaused, selectAnswered, selectPaused } from './paused-runs.ts';
import { insertRow, selectPage, selectRow } from './select.ts';
import type { Condition } from './select.ts';
import type { Database, SqlRunner, SqlValue } from './database.ts';

/**
 * Creates a store of runs in a table. A lease is two columns; each change of them is one statement whose condition
 * names the allowed owner.
 */
export function createRunStore(database: Database): RunStore {
  const { leaseNow, lockRows } = database.dialect;
  return {
    async create(run, lease) {
      const row = {
        id: checkId(run.id, 'The id of a run'),
        principal_key: principalKey(run.principal),
        session_id: checkId(run.sessionId, 'The session of a run'),
        parent_run_id: checkOptionalId(run.parentRunId, 'The parent of a run'),
        status: 'running',
        updated_at: run.createdAt,
        lease_owner: checkOptionalId(lease?.owner, 'The owner of a lease'),
        lease_expires_at: lease === undefined ? null : (await leaseClock(database)) + lease.leaseMs,
        epoch: lease === undefined ? 0 : 1,
        kind: checkId(run.definition.kind, 'The kind of a run'),
        record: jsonText(run, 'A run'),
        block: null,
        outcome: null,
      };
      const insert = async (sql: SqlRunner): Promise<void> => {
        if (!(await insertRow(sql, runs.table, row))) throw conflict(`Run "${run.id}" already exists`);
      };
      const { parentRunId } = run;
      if (parentRunId === undefined) await insert(database);
      else {
        await database.transaction(
          async (sql) => {
            await checkWriter(sql, lockRows, lease?.above);
            if (await hasEnded(sql, parentRunId)) throw conflict(`Run "${parentRunId}" has ended`);
            await insert(sql);
          },
          { lock: approvalsLock },
        );
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
        await checkWriter(sql, lockRows, above);
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
        return event === undefined && above === undefined ? change(database) : database.transaction(change);
      }
      return database.transaction(
        async (sql) => {
          if (inputsRead !== undefined && (await hasInputAfter(sql, id, inputsRead))) return false;
          const isChanged = await change(sql);
          if (!isChanged) return false;
          await withdrawOfRun(sql, id, now, endedReason(to, outcome?.error?.message));
          await endJobsOf(sql, id, `The run ${id}, which started this job, is ${to}`, now);
          await removeScratchpad(sql, id);
          await endRunsBelow(sql, { id, status: to }, now);
          return true;
        },
        { lock: approvalsLock },
      );
    },
    async claim(id, { owner, leaseMs, above, start }) {
      const values = [id, checkId(owner, 'The owner of a lease'), leaseMs];
      const lease = `lease_owner = $2, lease_expires_at = ${leaseNow} + $3`;
      let isBegun = false;
      const take = async (sql: SqlRunner): Promise<Run | undefined> => {
        await checkWriter(sql, lockRows, above);
        // In one statement: of several processes that locked the row before they changed it, each would wait for the others.
        const [begun] = await sql.all(
          `UPDATE ${runs.table} SET ${lease}, epoch = epoch + 1
           WHERE id = $1 AND ${isLive}
             AND (lease_owner IS NULL OR (lease_owner <> $2 AND lease_expires_at <= ${leaseNow})) RETURNING *`,
          values,
        );
        if (begun !== undefined) {
          isBegun = true;
          const writer = { runId: id, epoch: numberIn(begun, 'epoch') };
          if (start !== undefined) await addLastEvent(sql, writer, recordOf(start.event, start.now));
          return readRow(runs, begun);
        }
        const [held] = await sql.all(
          `UPDATE ${runs.table} SET ${lease} WHERE id = $1 AND ${isLive} AND lease_owner = $2 RETURNING *`,
          values,
        );
        return held && readRow(runs, held);
      };
      const run = await (above === undefined && start === undefined ? take(database) : database.transaction(take));
      if (isBegun && run !== undefined && run.epoch > 1) await withdrawElicitations(database, id);
      return run;
    },
    // Leases need not survive a power failure, because their owners do not either.
    renew: (id, { owner, leaseMs, epoch }) =>
      changeLease(database, `lease_expires_at = ${leaseNow} + $3`, { id, owner, epoch }, [leaseMs]),
    release: (id, owner, epoch) =>
      changeLease(database, 'lease_owner = NULL, lease_expires_at = NULL', { id, owner, epoch }),
    listExpired: (page) => selectExpired(database, leaseNow, page),
    listPaused: (page) => selectPaused(database, page),
    listAnswered: (expiredSince, page) => selectAnswered(database, expiredSince, page),
    countPaused: (principal, atMost) => countPaused(database, principal, atMost),
    async listOwners() {
      const rows = await database.all(
        `SELECT DISTINCT lease_owner FROM ${runs.table} WHERE lease_owner IS NOT NULL ORDER BY lease_owner`,
      );
      return rows.map((row) => textIn(row, 'lease_owner'));
    },
    async expireLeases(owner) {
      const rows = await database.all(
        `UPDATE ${runs.table}
         SET lease_owner = CASE status WHEN 'paused' THEN NULL ELSE lease_owner END,
           lease_expires_at = CASE status WHEN 'paused' THEN NULL ELSE 0 END
         WHERE lease_owner = $1 RETURNING id`,
        [owner],
      );
      return rows.length;
    },
  };
}

// The condition on the status is one of the filter.
const isBlocked: Condition = { text: 'block IS NOT NULL AND sequence >=', value: 0 };

function recordOf(event: RunEventOf<'run-start' | 'run-end' | 'run-paused'>, at: number): Omit<NewRunEvent, 'n'> {
  const { type, runId: _run, sessionId: _session, ...data } = event;
  return { at, type, data: data as unknown as JsonObject };
}

// By the index of ended runs, because there may be any number of others.
function ended(before: number): Condition {
  const text = `sequence IN (SELECT run.sequence FROM ${runs.table} run WHERE run.status NOT IN ('running', 'paused') AND run.updated_at <`;
  const isOutermost = `NOT EXISTS (SELECT 1 FROM ${runs.table} above WHERE above.id = run.parent_run_id)`;
  return { text, value: before, after: ` AND ${isOutermost})` };
}

async function leaseClock(database: Database): Promise<number> {
  const [row] = await database.all(`SELECT ${database.dialect.leaseNow} AS now`);
  return numberIn(row ?? {}, 'now');
}

interface HeldLease {
  readonly id: string;
  readonly owner: string;
  readonly epoch: number | undefined;
}

function changeLease(
  database: Database,
  change: string,
  { id, owner, epoch }: HeldLease,
  more: readonly SqlValue[] = [],
): Promise<boolean> {
  const values = [id, owner, ...more];
  const inEpoch = epoch === undefined ? '' : `AND epoch = $${values.push(epoch)}`;
  const run = async (sql: SqlRunner): Promise<boolean> => {
    const rows = await sql.all(
      `UPDATE ${runs.table} SET ${change} WHERE id = $1 AND lease_owner = $2 ${inEpoch} RETURNING id`,
      values,
    );
    return rows.length > 0;
  };
  return database.transaction(run, { durability: 'process' });
}
