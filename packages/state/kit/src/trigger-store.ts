import type { FiringOutcome, NewTrigger, TriggerClaim, TriggerProgress, TriggerStore } from '@ravi/kernel';
import { conflict } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, optionalPrincipalKey, principalKey } from './keys.ts';
import { numberIn, readRow, readRows } from './rows.ts';
import { addRows, insertRow, selectPage, selectRow } from './select.ts';
import { firings, firingsTable, triggers } from './trigger-rows.ts';
import type { FiringRecord } from './trigger-rows.ts';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';

const { table } = triggers;
const maxDue = 100;
const maxTaken = 20;
const keptFirings = 50;
const isOfTimes = "kind IN ('timer', 'schedule')";

/** Creates a store of triggers and their firings in two tables. */
export function createTriggerStore(database: Database): TriggerStore {
  return {
    async add(trigger, { maxActive }) {
      const row = rowOf(trigger);
      return database.transaction(
        async (sql) => {
          const known = await selectRow(sql, table, { id: trigger.id });
          if (known !== undefined) return { isNew: false, trigger: readRow(triggers, ownRow(known, row)) };
          const active = `SELECT count(*) AS active FROM ${table} WHERE principal_key = $1 AND status = 'active'`;
          const [counted] = await sql.all(active, [row['principal_key'] ?? null]);
          if (Number(counted?.['active']) >= maxActive) return undefined;
          if (!(await insertRow(sql, table, row))) throw conflict(`Trigger "${trigger.id}" already exists`);
          return { isNew: true, trigger: readRow(triggers, row) };
        },
        { lock: `triggers ${principalKey(trigger.principal)}` },
      );
    },

    async get(id) {
      const row = await selectRow(database, table, { id });
      return row && readRow(triggers, row);
    },

    list: ({ principal, status, kind }, page) =>
      selectPage(database, triggers, { principal_key: optionalPrincipalKey(principal), status, kind }, page),

    cancel: (id, now) =>
      database.transaction(async (sql) => {
        const [row] = await sql.all(
          `UPDATE ${table} SET status = 'cancelled', version = version + 1, updated_at = $2
           WHERE id = $1 AND status = 'active' RETURNING *`,
          [id, now],
        );
        if (row === undefined) return undefined;
        const error = { code: 'E_CANCELLED', message: 'The trigger was cancelled', retryable: false };
        await sql.all(
          `UPDATE ${firingsTable} SET status = 'failed', error = $2 WHERE trigger_id = $1 AND status = 'pending'`,
          [id, jsonText(error, 'An error')],
        );
        return readRow(triggers, row);
      }),

    async due(now) {
      const rows = await database.all(
        `SELECT * FROM ${table} WHERE status = 'active' AND ${isOfTimes} AND next_due_at <= $1
         ORDER BY next_due_at, sequence LIMIT ${maxDue}`,
        [now],
      );
      return readRows(triggers, rows);
    },

    watching: (now, page) =>
      selectPage(database, { ...triggers, newestFirst: false }, { status: 'active', kind: 'channel' }, page, [
        { text: 'next_due_at <=', value: now },
      ]),

    async nextDueAt() {
      const [row] = await database.all(
        `SELECT min(next_due_at) AS next_due_at FROM ${table} WHERE status = 'active' AND ${isOfTimes}`,
      );
      return row === undefined || row['next_due_at'] === null ? undefined : numberIn(row, 'next_due_at');
    },

    claim: (id, claim) =>
      database.transaction(async (sql) => {
        const [row] = await sql.all(claimStatement, claimValues(id, claim));
        if (row === undefined) return false;
        await addFirings(sql, id, claim);
        return true;
      }),

    async take({ now, retryAt }) {
      // The condition is repeated: another process may have taken a row that the inner query found.
      const rows = await database.all(
        `UPDATE ${firingsTable} SET retry_at = $2 WHERE status = 'pending' AND retry_at <= $1 AND (trigger_id, slot) IN (
           SELECT trigger_id, slot FROM ${firingsTable} WHERE status = 'pending' AND retry_at <= $1
           ORDER BY retry_at LIMIT ${maxTaken}) RETURNING *`,
        [now, retryAt],
      );
      return readRows(firings, rows);
    },

    settle: ({ triggerId, slot }, outcome) =>
      database.transaction(async (sql) => {
        const rows = await sql.all(settlement(outcome), [triggerId, slot, ...settledValues(outcome)]);
        if (rows.length > 0 && outcome.status !== 'pending') await removeOldFirings(sql, triggerId);
        return rows.length > 0;
      }),

    async firings(triggerId) {
      const query = `SELECT * FROM ${firingsTable} WHERE trigger_id = $1 ORDER BY slot DESC LIMIT ${keptFirings}`;
      return readRows(firings, await database.all(query, [triggerId]));
    },
  };
}

/** Removes triggers that ended before a moment, with their firings. */
export async function removeOldTriggers(database: Database, before: number): Promise<void> {
  await database.transaction(async (sql) => {
    const removed = await sql.all(
      `DELETE FROM ${table} WHERE status <> 'active' AND updated_at < $1 AND NOT EXISTS (
         SELECT 1 FROM ${firingsTable} WHERE trigger_id = id AND ${firingsTable}.status = 'pending') RETURNING id`,
      [before],
    );
    for (const { id } of removed) await sql.all(`DELETE FROM ${firingsTable} WHERE trigger_id = $1`, [String(id)]);
  });
}

const claimStatement = `UPDATE ${table}
  SET next_due_at = $3, progress = $4, status = $5, updated_at = $6, version = version + 1
  WHERE id = $1 AND version = $2 AND status = 'active' RETURNING id`;

function claimValues(id: string, { version, next, now }: TriggerClaim): readonly SqlValue[] {
  const { nextDueAt, ...progress } = next;
  const status = nextDueAt === undefined ? 'ended' : 'active';
  return [id, version, nextDueAt ?? null, jsonText(progress, 'The progress of a trigger'), status, now];
}

async function addFirings(sql: SqlRunner, id: string, { firings: added, now, retryAt }: TriggerClaim): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(({ slot, ...firing }) => {
    const record: FiringRecord = { ...firing, createdAt: now };
    return [id, slot, 'pending', retryAt, jsonText(record, 'A firing')];
  });
  await addRows(sql, firingsTable, ['trigger_id', 'slot', 'status', 'retry_at', 'record'], rows);
}

function settlement({ status }: FiringOutcome): string {
  const retry = status === 'pending' ? ', retry_at = $5' : '';
  return `UPDATE ${firingsTable} SET status = $3, error = $4${retry}
    WHERE trigger_id = $1 AND slot = $2 AND status ${status === 'started' ? "<> 'started'" : "= 'pending'"} RETURNING slot`;
}

function settledValues(outcome: FiringOutcome): readonly SqlValue[] {
  if (outcome.status === 'started') return ['started', null];
  const values = [outcome.status, jsonText(outcome.error, 'An error')];
  return outcome.status === 'pending' ? [...values, outcome.retryAt] : values;
}

async function removeOldFirings(sql: SqlRunner, triggerId: string): Promise<void> {
  await sql.all(
    `DELETE FROM ${firingsTable} WHERE trigger_id = $1 AND status <> 'pending' AND slot < (
       SELECT min(slot) FROM (
         SELECT slot FROM ${firingsTable} WHERE trigger_id = $1 ORDER BY slot DESC LIMIT ${keptFirings}) AS kept)`,
    [triggerId],
  );
}

function rowOf(trigger: NewTrigger & Pick<TriggerProgress, 'nextDueAt' | 'position'>): Record<string, SqlValue> {
  const { nextDueAt = null, position, ...record } = trigger;
  return {
    id: checkId(trigger.id, 'The id of a trigger'),
    principal_key: principalKey(trigger.principal),
    kind: trigger.spec.kind,
    status: 'active',
    version: 1,
    next_due_at: nextDueAt,
    updated_at: trigger.createdAt,
    record: jsonText(record, 'A trigger'),
    progress: jsonText({ ...(position === undefined ? {} : { position }), missed: 0 }, 'The progress of a trigger'),
  };
}

function ownRow(known: SqlRow, row: Readonly<Record<string, SqlValue>>): SqlRow {
  if (known['principal_key'] === row['principal_key']) return known;
  throw conflict(`Trigger "${String(row['id'])}" already exists`);
}
